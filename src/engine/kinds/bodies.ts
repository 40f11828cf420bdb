import { asText, ExactNumber } from "../../base/exact_number.ts";
import { random } from "../../base/random.ts";
import {
  compileExpression,
  compileTemplate,
  encoded,
  joinConstants,
  joined,
} from "../flow/expressions.ts";
import { constant, type Rendered, renderedFrom } from "../flow/values.ts";
import type { Scope } from "../flow/scope.ts";
import { type EncodedPart, encodeForm, encodeMultipart } from "../../http/encode_body.ts";
import type { Body, BodyKind, MultipartPart } from "../../plan/kinds/bodies.ts";
import { parseTemplate } from "../../plan/text/template.ts";
import { kindsOf } from "../../plan/values/schema_walk.ts";

type StructuredBody = Exclude<Body, string>;

type BodyContent<K extends BodyKind> = K extends keyof StructuredBody
  ? Exclude<StructuredBody[K], undefined>
  : string;

export interface CompiledBody {
  readonly content: Rendered<Uint8Array>;
  /** Default value of the Content-Type header, if there is one. */
  readonly contentType: string | undefined;
}

const BODIES: {
  readonly [K in BodyKind]: (content: BodyContent<K>, scope: Scope) => CompiledBody;
} = {
  text: (template, scope) => ({
    content: encoded(compileTemplate(template, scope)),
    contentType: undefined,
  }),
  json: (value, scope) => ({
    content: encoded(joined(joinConstants(jsonPieces(value, scope)))),
    contentType: "application/json",
  }),
  form(fields, scope) {
    const pairs = Array.isArray(fields)
      ? fields
      : Object.entries(fields).flatMap(([name, value]) =>
        (Array.isArray(value) ? value : [value]).map((item) => [name, item] as const)
      );
    const compiled = pairs.map(([name, value]) =>
      [compileTemplate(name, scope), compileTemplate(asText(value), scope)] as const
    );
    const text = renderedFrom(
      compiled.flat(),
      (vu) => encodeForm(compiled.map(([name, value]) => [name.render(vu), value.render(vu)])),
    );
    return { content: encoded(text), contentType: "application/x-www-form-urlencoded" };
  },
  multipart(parts, scope) {
    const boundary = "rehearse-" + random(parts.length, Date.now()).uuid();
    const compiled = parts.map((part) => compilePart(part, scope));
    return {
      content: renderedFrom(
        compiled,
        (vu) => encodeMultipart(compiled.map((part) => part.render(vu)), boundary),
      ),
      contentType: `multipart/form-data; boundary=${boundary}`,
    };
  },
  file: (path, { readFile }) => ({ content: constant(readFile(path)), contentType: undefined }),
  base64: (text) => ({ content: constant(Uint8Array.fromBase64(text)), contentType: undefined }),
};

export function compileBody(body: Body, scope: Scope): CompiledBody {
  if (typeof body === "string") return BODIES.text(body, scope);
  const kind = kindsOf(BODIES).filter((kind) => kind !== "text")
    .find((kind) => body[kind] !== undefined);
  if (kind === undefined) throw new TypeError("the plan was not checked: a body has no content");
  const { content, contentType } = compileStructured(kind, body[kind]!, scope);
  return { content, contentType: body.content_type ?? contentType };
}

function compileStructured<K extends BodyKind>(
  kind: K,
  content: BodyContent<K>,
  scope: Scope,
): CompiledBody {
  return BODIES[kind](content, scope);
}

type Json = BodyContent<"json">;

function jsonPieces(value: Json, scope: Scope): Rendered<string>[] {
  if (typeof value === "string") return [jsonString(value, scope)];
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return [constant(JSON.stringify(value))];
  }
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([key, item], i) => {
    const comma = i > 0 ? "," : "";
    const name = isList ? [] : [jsonText(key, scope), constant(":")];
    return [constant(comma), ...name, ...jsonPieces(item as Json, scope)];
  });
  return [constant(isList ? "[" : "{"), ...members.flat(), constant(isList ? "]" : "}")];
}

/**
 * Compiles text in a JSON body, such as the name of a member. The text is always sent as a string.
 */
function jsonText(template: string, scope: Scope): Rendered<string> {
  const text = compileTemplate(template, scope);
  return renderedFrom([text], (vu) => JSON.stringify(text.render(vu)));
}

function jsonString(template: string, scope: Scope): Rendered<string> {
  const parts = parseTemplate(template);
  if (parts.length === 1 && parts[0].kind !== "text") {
    const value = compileExpression(parts[0], scope);
    return renderedFrom([value], (vu) => JSON.stringify(value.render(vu)));
  }
  return jsonText(template, scope);
}

function compilePart(part: MultipartPart, scope: Scope): Rendered<EncodedPart> {
  const name = compileTemplate(part.name, scope);
  const filename = part.filename === undefined
    ? constant(undefined)
    : compileTemplate(part.filename, scope);
  const content = partContent(part, scope);
  return renderedFrom([name, filename, content], (vu) => ({
    name: name.render(vu),
    content: content.render(vu),
    filename: filename.render(vu),
    contentType: part.content_type,
  }));
}

function partContent(
  { value, file, base64 }: MultipartPart,
  scope: Scope,
): Rendered<Uint8Array | string> {
  if (file !== undefined) return constant(scope.readFile(file));
  if (base64 !== undefined) return constant(Uint8Array.fromBase64(base64));
  return compileTemplate(value ?? "", scope);
}
