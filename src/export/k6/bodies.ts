import { ExactNumber } from "../../base/exact_number.ts";
import { type FlowScope, isExpression } from "./flow_scope.ts";
import { constant, foldTemplate, type Js, operation } from "./js_value.ts";
import {
  base64Literal,
  callCode,
  listCode,
  type Member,
  objectCode,
  stringLiteral,
  templateText,
} from "./javascript.ts";
import { scalarTextCode, templateCode, valueCode } from "./template_code.ts";
import type { Body, BodyKind, MultipartPart } from "../../plan/kinds/bodies.ts";
import { kindsOf } from "../../plan/values/schema_walk.ts";

/** Request body that is written as a map in the plan. */
type StructuredBody = Exclude<Body, string>;

/** Content of a body of kind `K`, as written in the plan. */
type BodyContent<K extends BodyKind> = K extends keyof StructuredBody
  ? Exclude<StructuredBody[K], undefined>
  : string;

/** JavaScript code for a request body, and for the default content type of the body. */
export interface BodyCode {
  readonly content: Js;
  /** Code for the default content type. Undefined if this kind of body has no default. */
  readonly contentType: string | undefined;
}

/** Writes bodies of kind `K` as JavaScript. `src/plan/kinds/bodies` defines their syntax. */
interface BodyWriter<K extends BodyKind> {
  write(content: BodyContent<K>, scope: FlowScope): BodyCode;
}

/** Writer for each kind of body. */
const BODIES: { readonly [K in BodyKind]: BodyWriter<K> } = {
  text: {
    write: (template, scope) => ({
      // k6 sends an empty string with chunked encoding.
      content: template === "" ? constant("null", "scalar") : templateCode(template, scope),
      contentType: undefined,
    }),
  },
  json: {
    write: (value, scope) => ({
      content: hasExactNumber(value) ? exactBody(value, scope) : plainBody(value, scope),
      contentType: "'application/json'",
    }),
  },
  form: {
    write(fields, scope) {
      const pairs = Array.isArray(fields)
        ? fields
        : Object.entries(fields).flatMap(([name, value]) =>
          (Array.isArray(value) ? value : [value]).map((item) => [name, item] as const)
        );
      const contentType = "'application/x-www-form-urlencoded'";
      if (pairs.length === 0) return { content: constant("null", "scalar"), contentType };
      const values = pairs.map(([name, value]) =>
        [templateCode(name, scope), fieldCode(value, scope)] as const
      );
      const list = listCode(
        values.map(([name, value]) => listCode([name.code, value.code])),
        "form()".length + 4,
      );
      const code = callCode(scope.script.use("form"), [list]);
      return { content: operation(code, values.flat(), "text"), contentType };
    },
  },
  multipart: {
    write(parts, scope) {
      const written = parts.map((part) => partCode(part, scope));
      const code = callCode(scope.script.use("multipart"), [
        listCode(written.map(({ code }) => code)),
      ]);
      return {
        content: operation(code, written, "any"),
        contentType: "`multipart/form-data; boundary=${BOUNDARY}`",
      };
    },
  },
  file: {
    write: (path, { script }) => ({
      content: constant(script.file(path), "any"),
      contentType: undefined,
    }),
  },
  base64: {
    write: (text, { script }) => ({
      content: constant(
        `${script.import("k6/encoding", "b64decode")}(${base64Literal(text)})`,
        "any",
      ),
      contentType: undefined,
    }),
  },
};

/** Kinds that are written as a map in the plan. */
const STRUCTURED = kindsOf(BODIES).filter((kind) => kind !== "text");

/** Returns the JavaScript code for the body of a request. */
export function bodyCode(body: Body, scope: FlowScope): BodyCode {
  if (typeof body === "string") return BODIES.text.write(body, scope);
  const kind = STRUCTURED.find((kind) => body[kind] !== undefined);
  if (kind === undefined) throw new TypeError("the plan was not checked: a body has no content");
  const { content, contentType } = writeStructured(kind, body[kind]!, scope);
  const given = body.content_type;
  return { content, contentType: given === undefined ? contentType : stringLiteral(given) };
}

function writeStructured<K extends BodyKind>(
  kind: K,
  content: BodyContent<K>,
  scope: FlowScope,
): BodyCode {
  return BODIES[kind].write(content, scope);
}

function plainBody(value: unknown, scope: FlowScope): Js {
  const js = valueCode(value, scope, "JSON.stringify()".length + 4);
  return operation(callCode("JSON.stringify", [js.code]), [js], "text");
}

/**
 * Reports whether a value contains a number that JavaScript would print with different digits from
 * those in the plan.
 */
function hasExactNumber(value: unknown): boolean {
  if (value instanceof ExactNumber) return true;
  if (typeof value === "string") return foldTemplate(value) instanceof ExactNumber;
  return typeof value === "object" && value !== null && Object.values(value).some(hasExactNumber);
}

/** Writes JSON as a template literal, in which numbers keep their digits. */
function exactBody(value: unknown, scope: FlowScope): Js {
  const values: Js[] = [];
  const source = pieces(value);
  if (values.length > 0) {
    return operation("`" + source.map(pieceText).join("") + "`", values, "text");
  }
  return constant(stringLiteral(source.map(({ text }) => text).join("")), "text");

  function pieces(item: unknown): Piece[] {
    if (typeof item === "string") {
      const number = foldTemplate(item);
      if (number instanceof ExactNumber) return [{ text: number.text }];
      const js = isExpression(item) ? valueCode(item, scope) : templateCode(item, scope);
      if (js.needs.length === 0 && !item.includes("${")) return [{ text: JSON.stringify(item) }];
      values.push(js);
      return [{ text: "", code: `JSON.stringify(${js.code})` }];
    }
    if (typeof item !== "object" || item === null || item instanceof ExactNumber) {
      return [{ text: JSON.stringify(item) }];
    }
    const isList = Array.isArray(item);
    const members = Object.entries(item).flatMap(([key, member], i) => [
      { text: i > 0 ? "," : "" },
      ...(isList ? [] : [...nameOf(key), { text: ":" }]),
      ...pieces(member),
    ]);
    return [{ text: isList ? "[" : "{" }, ...members, { text: isList ? "]" : "}" }];
  }

  function nameOf(key: string): Piece[] {
    if (!key.includes("${")) return [{ text: JSON.stringify(key) }];
    const js = templateCode(key, scope);
    values.push(js);
    return [{ text: "", code: `JSON.stringify(${js.code})` }];
  }
}

/** Part of a JSON body: fixed text, or code that returns text. */
interface Piece {
  readonly text: string;
  readonly code?: string;
}

function pieceText({ text, code }: Piece): string {
  return code === undefined ? templateText(text) : "${" + code + "}";
}

/**
 * Returns the JavaScript code for the value of a form field. The helper `form` converts numbers to
 * text.
 */
function fieldCode(value: unknown, scope: FlowScope): Js {
  const js = isExpression(value) ? valueCode(value, scope) : scalarTextCode(value, scope);
  return js.type === "any" ? scalarTextCode(value, scope) : js;
}

function partCode(part: MultipartPart, scope: FlowScope): Js {
  const name = templateCode(part.name, scope);
  const content = contentCode(part, scope);
  const filename = part.filename === undefined ? undefined : templateCode(part.filename, scope);
  const members: Member[] = [["name", name.code], ["content", content.code]];
  if (filename !== undefined) members.push(["filename", filename.code]);
  const type = part.content_type?.replace(/[\r\n]/g, " ");
  if (type !== undefined) members.push(["type", stringLiteral(type)]);
  return operation(objectCode(members), [name, content, ...filename ? [filename] : []], "any");
}

function contentCode({ value = "", file, base64 }: MultipartPart, scope: FlowScope): Js {
  const { script } = scope;
  if (file !== undefined) return constant(script.file(file), "any");
  if (base64 !== undefined) {
    return constant(
      `${script.import("k6/encoding", "b64decode")}(${base64Literal(base64)})`,
      "any",
    );
  }
  return templateCode(value, scope);
}
