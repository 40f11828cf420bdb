import type { Body } from "../../plan/kinds/bodies/bodies.ts";
import type { MultipartPart } from "../../plan/kinds/bodies/multipart.ts";
import type { Extractor } from "../../plan/kinds/extractors/extractors.ts";
import type { Request } from "../../plan/kinds/steps/request.ts";
import { writtenNumber } from "../../base/exact_number.ts";
import { literal, type TemplatePart } from "../../plan/text/template.ts";
import {
  type CallBody,
  type FormField,
  methodOf,
  type MultipartField,
  type RecordedCall,
} from "../../traffic/session/recorded_call.ts";
import { mapLeaves } from "../../traffic/session/json_tree.ts";
import { RequestField } from "../../traffic/session/request_field.ts";
import { joinParts, type Replacements } from "../correlate/replacements.ts";
import { isSendableValue } from "../../traffic/session/kept_calls.ts";
import { parseMediaType } from "../../traffic/har/media_type.ts";

/** Properties of a request in the plan that the recorded call alone does not determine. */
export interface RequestContext {
  readonly name: string;
  readonly baseUrl: string;
  /** Expressions that the plan sends instead of recorded values. */
  readonly replacements: Replacements;
  readonly extract: readonly Extractor[];
  /** True if the request follows redirects. */
  readonly follow: boolean;
  /** Expected status of the response, or undefined for no check. */
  readonly status: number | undefined;
}

/** Builds the plan's request for a recorded call. */
export function planRequest(call: RecordedCall, context: RequestContext): Request {
  const { name, replacements, extract, follow, status } = context;
  const headers = planHeaders(call, replacements);
  return {
    name,
    method: methodOf(call),
    url: planUrl(call, context),
    ...(Object.keys(headers).length > 0 && { headers }),
    ...(call.body && { body: planBody(call, call.body, replacements) }),
    ...(follow && { follow_redirects: true }),
    ...(extract.length > 0 && { extract: [...extract] }),
    ...(status !== undefined && { checks: [{ type: "status", equals: status }] }),
  };
}

/**
 * Returns the call's URL as written in the plan: relative if its origin is `baseUrl` and its path does
 * not start with `//`, otherwise absolute.
 */
function planUrl(
  { url }: RecordedCall,
  { baseUrl, replacements }: RequestContext,
): string {
  const parts = [...url.path, ...url.query].flatMap((piece): TemplatePart[] =>
    typeof piece === "string" ? [{ kind: "text", text: piece }] : replacements.parts(piece)
  );
  const relative = url.origin === baseUrl &&
    !(url.path[0] === "/" && url.path[1] === "/");
  return joinParts(relative ? parts : [{ kind: "text", text: url.prefix }, ...parts]);
}

function planHeaders(
  { headers, body }: RecordedCall,
  replacements: Replacements,
): Record<string, string> {
  const planned = headers.map(({ name, field }): [string, string] => [
    name,
    replacements.template(field),
  ]);
  if (body?.kind === "text" && hasSendableType(body) && !sendsContentType(headers)) {
    planned.push(["Content-Type", literal(body.contentType)]);
  }
  return Object.fromEntries(planned);
}

/** Reports whether the media type of the body is known and can be sent. */
function hasSendableType({ contentType }: CallBody): boolean {
  return contentType !== "" && isSendableValue(contentType);
}

function sendsContentType(headers: RecordedCall["headers"]): boolean {
  return headers.some(({ name }) => name.toLowerCase() === "content-type");
}

/** Media types that the engine sends for each kind of body if the plan sets no `content_type`. */
const IMPLIED = {
  json: "application/json",
  form: "application/x-www-form-urlencoded",
  multipart: "multipart/form-data",
  base64: "",
};

function planBody(call: RecordedCall, body: CallBody, replacements: Replacements): Body {
  if (body.kind === "text") return replacements.template(body.field);
  const type = parseMediaType(body.contentType).essence;
  const isImplied = sendsContentType(call.headers) || !hasSendableType(body) || type === "" ||
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
      return { json: renderTree(body.tree, replacements) as Exclude<Body, string>["json"] };
    case "form":
      return { form: form(body.fields, replacements) };
    case "multipart":
      return { multipart: body.parts.map((part) => multipartPart(part, replacements)) };
    case "base64":
      return { base64: body.base64 };
  }
}

/**
 * Converts a tree of fields to a JSON value. Fields become templates, except that numbers without
 * replacements stay numbers.
 */
function renderTree(tree: unknown, replacements: Replacements): unknown {
  return mapLeaves(tree, (leaf) => {
    if (!(leaf instanceof RequestField)) return leaf;
    const isNumber = leaf.numeric && replacements.of(leaf).length === 0;
    return isNumber ? writtenNumber(leaf.recorded) : replacements.template(leaf);
  });
}

/**
 * Returns the form as a map, or as a list of pairs if a map would change it. A map would change
 * repeated names, empty names, names of digits only, `__proto__`, and names that contain `${`.
 */
function form(
  fields: readonly FormField[],
  replacements: Replacements,
): Exclude<Body, string>["form"] {
  const names = new Set(fields.map(({ name }) => name));
  const fits = names.size === fields.length &&
    fields.every(({ name }) => !/^\d*$|^__proto__$|\$\{/.test(name));
  if (fits) {
    return Object.fromEntries(
      fields.map(({ name, field }) => [name, replacements.template(field)]),
    );
  }
  return fields.map(({ name, field }): [string, string] => [
    literal(name),
    replacements.template(field),
  ]);
}

function multipartPart(
  { recorded, field }: MultipartField,
  replacements: Replacements,
): MultipartPart {
  const { name, base64 = "", filename, contentType } = recorded;
  return {
    name: literal(name),
    ...(field ? { value: replacements.template(field) } : { base64 }),
    ...(filename !== undefined && { filename: literal(filename) }),
    ...(contentType !== undefined && isSendableValue(contentType) && { content_type: contentType }),
  };
}
