import { asText } from "../../../base/exact_json.ts";
import { ExactNumber } from "../../../base/exact_number.ts";
import { random } from "../../../base/random.ts";
import type { Body } from "../../../plan/kinds/bodies/bodies.ts";
import type { MultipartPart } from "../../../plan/kinds/bodies/multipart.ts";
import { parseTemplate } from "../../../plan/text/template.ts";
import { type EncodedPart, encodeForm, encodeMultipart } from "../../../http/encode_body.ts";
import {
  compileExpression,
  compileTemplate,
  joined,
  type Render,
  render,
} from "../../flow/render.ts";
import type { Scope } from "../../flow/scope.ts";
import type { Vu } from "../../vu/vu.ts";

/**
 * Compiled body: the bytes if they are constant, otherwise a function that builds them for a VU.
 * The function throws TemplateFault if a variable is not set, and FlowEnd if no data row is left.
 */
export type MakeBody = Uint8Array | ((vu: Vu) => Uint8Array);

/** Compiled body of a request and its content type. */
export interface CompiledBody {
  readonly content: MakeBody;
  /**
   * Value of the Content-Type header, which the plan's headers override. Undefined if the body type
   * implies none.
   */
  readonly contentType: string | undefined;
}

type Structured = Exclude<Body, string>;
type Json = NonNullable<Structured["json"]> | null;

const encoder = new TextEncoder();

/** Compiles a request's body. Throws InputError if a file cannot be read. */
export function compileBody(body: Body, scope: Scope): CompiledBody {
  if (typeof body === "string") {
    return { content: encoded(compileTemplate(body, scope)), contentType: undefined };
  }
  const { content, contentType } = compileStructured(body, scope);
  return { content, contentType: body.content_type ?? contentType };
}

function compileStructured(body: Structured, scope: Scope): CompiledBody {
  if (body.form) {
    return {
      content: encoded(compileForm(body.form, scope)),
      contentType: "application/x-www-form-urlencoded",
    };
  }
  if (body.multipart) return compileMultipart(body.multipart, scope);
  if (body.file !== undefined) {
    return { content: scope.readFile(body.file), contentType: undefined };
  }
  if (body.base64 !== undefined) {
    return { content: Uint8Array.fromBase64(body.base64), contentType: undefined };
  }
  return {
    content: encoded(joined(jsonPieces(body.json ?? null, scope))),
    contentType: "application/json",
  };
}

function encoded(text: Render): MakeBody {
  return typeof text === "string" ? encoder.encode(text) : (vu) => encoder.encode(text(vu));
}

/**
 * Returns the JSON text of a body in pieces. Constant parts are serialized once, variable parts for
 * each request.
 */
function jsonPieces(value: Json, scope: Scope): Render[] {
  if (typeof value === "string") return [jsonString(value, scope)];
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return [JSON.stringify(value)];
  }
  const isList = Array.isArray(value);
  const members = Object.entries(value).map(([key, item], i) => {
    const comma = i > 0 ? "," : "";
    const name = isList ? "" : JSON.stringify(key) + ":";
    return [comma + name, ...jsonPieces(item as Json, scope)];
  });
  return [isList ? "[" : "{", ...members.flat(), isList ? "]" : "}"].reduce(joinConstants, []);
}

function joinConstants(pieces: Render[], piece: Render): Render[] {
  const last = pieces.at(-1);
  if (typeof last !== "string" || typeof piece !== "string") return [...pieces, piece];
  return [...pieces.slice(0, -1), last + piece];
}

/**
 * Compiles a string in a JSON body. A string that is only `${expr}` keeps the JSON type of the
 * value of the expression.
 */
function jsonString(template: string, scope: Scope): Render {
  const parts = parseTemplate(template);
  if (parts.length === 1 && parts[0].kind !== "text") {
    const value = compileExpression(parts[0], scope);
    if (typeof value === "function") return (vu) => JSON.stringify(value(vu));
  }
  const text = compileTemplate(template, scope);
  return typeof text === "string" ? JSON.stringify(text) : (vu) => JSON.stringify(text(vu));
}

function compileForm(form: NonNullable<Structured["form"]>, scope: Scope): Render {
  const pairs = Array.isArray(form)
    ? form
    : Object.entries(form).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((item) => [name, item] as const)
    );
  const compiled = pairs.map(([name, value]) =>
    [compileTemplate(name, scope), compileTemplate(asText(value), scope)] as const
  );
  const encode = (vu: Vu) =>
    encodeForm(compiled.map(([name, value]) => [render(name, vu), render(value, vu)]));
  if (compiled.flat().some((template) => typeof template !== "string")) return encode;
  return encodeForm(compiled as [string, string][]);
}

function compileMultipart(parts: readonly MultipartPart[], scope: Scope): CompiledBody {
  const boundary = "rehearse-" + random(parts.length, Date.now()).uuid();
  const makers = parts.map((part) => compilePart(part, scope));
  return {
    content: (vu) => encodeMultipart(makers.map((make) => make(vu)), boundary),
    contentType: `multipart/form-data; boundary=${boundary}`,
  };
}

function compilePart(part: MultipartPart, scope: Scope): (vu: Vu) => EncodedPart {
  const name = compileTemplate(part.name, scope);
  const filename = part.filename === undefined ? undefined : compileTemplate(part.filename, scope);
  const content = partContent(part, scope);
  return (vu) => ({
    name: render(name, vu),
    content: content instanceof Uint8Array ? content : render(content, vu),
    filename: filename === undefined ? undefined : render(filename, vu),
    contentType: part.content_type,
  });
}

function partContent({ value, file, base64 }: MultipartPart, scope: Scope): Uint8Array | Render {
  if (file !== undefined) return scope.readFile(file);
  if (base64 !== undefined) return Uint8Array.fromBase64(base64);
  return compileTemplate(value ?? "", scope);
}
