import { isSendableValue } from "../../traffic/session/headers.ts";
import { writtenNumber } from "../../base/exact_number.ts";
import type { Body, MultipartPart } from "../../plan/kinds/bodies.ts";
import { literal } from "../../plan/text/template.ts";
import { hasOtherEscapes } from "../../traffic/har/json_text.ts";
import { parseMediaType } from "../../traffic/har/body_bytes.ts";
import { type FieldTree, mapLeaves } from "../../traffic/session/body_fields.ts";
import {
  type CallBody,
  type FormField,
  headersIn,
  type MultipartField,
  type RecordedCall,
} from "../../traffic/session/recorded_call.ts";
import { RequestField } from "../../traffic/session/request_field.ts";
import { joinParts, type Replacements } from "../../correlation/replacements.ts";

/**
 * Returns the media type of a body that the plan sends as text, if the recorded call has no
 * `Content-Type` header, so that the plan must set it. Returns undefined if the plan need not or
 * cannot set it.
 */
export function textContentType(
  call: RecordedCall,
  replacements: Replacements,
): string | undefined {
  const { body } = call;
  if (body === undefined || !hasSendableType(body) || sendsContentType(call)) return undefined;
  return bodyText(body, replacements) === undefined ? undefined : body.contentType;
}

function bodyText(body: CallBody, replacements: Replacements): string | undefined {
  switch (body.kind) {
    case "text":
      return replacements.template(body.field);
    case "form":
      return body.pieces && joinParts(replacements.piecesParts(body.pieces));
    case "json":
      return hasOtherEscapes(body.text) && !isReplaced(body, replacements)
        ? literal(body.text)
        : undefined;
    default:
      return undefined;
  }
}

function isReplaced({ tree, names }: FieldTree, replacements: Replacements): boolean {
  const fields = [...names.values()];
  mapLeaves(tree, (leaf) => leaf instanceof RequestField && fields.push(leaf));
  return fields.some((field) => replacements.of(field).length > 0);
}

function hasSendableType({ contentType }: CallBody): boolean {
  return contentType !== "" && isSendableValue(contentType);
}

function sendsContentType(call: RecordedCall): boolean {
  return headersIn(call).some(({ name }) => name.toLowerCase() === "content-type");
}

/** Media types that the engine sends for each kind of body if the plan sets no `content_type`. */
const IMPLIED = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
  base64: "",
};

/** Builds the body of a call as written in the plan. */
export function planBody(call: RecordedCall, body: CallBody, replacements: Replacements): Body {
  const text = bodyText(body, replacements);
  if (text !== undefined || body.kind === "text") return text ?? "";
  const type = parseMediaType(body.contentType).essence;
  const isImplied = sendsContentType(call) || !hasSendableType(body) || type === "" ||
    type === IMPLIED[body.kind];
  return {
    ...content(body, replacements),
    ...(!isImplied && { content_type: body.contentType }),
  } as Body;
}

function content(
  body: Exclude<CallBody, { kind: "text" }>,
  replacements: Replacements,
): Exclude<Body, string> {
  switch (body.kind) {
    case "json":
      return { json: renderTree(body, replacements) as Exclude<Body, string>["json"] };
    case "form":
      return { form: form(body.fields, replacements) };
    case "multipart":
      return { multipart: body.parts.map((part) => multipartPart(part, replacements)) };
    case "base64":
      return { base64: body.base64 };
  }
}

function renderTree({ tree, names }: FieldTree, replacements: Replacements): unknown {
  return mapLeaves(
    tree,
    (leaf) => {
      if (!(leaf instanceof RequestField)) return leaf;
      const isNumber = leaf.numeric && replacements.of(leaf).length === 0;
      return isNumber ? writtenNumber(leaf.recorded) : replacements.template(leaf);
    },
    (name) => nameTemplate(name, names.get(name), replacements),
  );
}

function nameTemplate(
  name: string,
  field: RequestField | undefined,
  replacements: Replacements,
): string {
  return field ? replacements.template(field) : literal(name);
}

function form(
  fields: readonly FormField[],
  replacements: Replacements,
): Exclude<Body, string>["form"] {
  const pairs = fields.map(({ name, nameField, field }): [string, string] => [
    nameTemplate(name, nameField, replacements),
    replacements.template(field),
  ]);
  const names = new Set(pairs.map(([name]) => name));
  const fits = names.size === pairs.length &&
    pairs.every(([name]) => !/^\d*$|^__proto__$|\$\{/.test(name));
  return fits ? Object.fromEntries(pairs) : pairs;
}

function multipartPart(
  { recorded, nameField, filenameField, field }: MultipartField,
  replacements: Replacements,
): MultipartPart {
  const { name, base64 = "", filename, contentType } = recorded;
  return {
    name: nameTemplate(name, nameField, replacements),
    ...(field ? { value: replacements.template(field) } : { base64 }),
    ...(filename !== undefined && {
      filename: nameTemplate(filename, filenameField, replacements),
    }),
    ...(contentType !== undefined && isSendableValue(contentType) && { content_type: contentType }),
  };
}
