import type { Extractor, ExtractorKind, Transform } from "../../../../plan/kinds/extractors.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";
import { dataCode } from "../../flow/rows.ts";
import { callCode, type Member, objectCode } from "../../js/code_layout.ts";
import type { Script } from "../../script/script.ts";
import { boundary } from "./boundary.ts";
import { cookie } from "./cookie.ts";
import { css } from "./css.ts";
import type { ExtractorOf, ExtractorWriter, Found } from "./extractor_writer.ts";
import { header } from "./header.ts";
import { jsonpath } from "./jsonpath.ts";
import { regex } from "./regex.ts";
import { xpath } from "./xpath.ts";

/** Writer for each kind of extractor. */
const EXTRACTORS: { readonly [K in ExtractorKind]: ExtractorWriter<K> } = {
  jsonpath,
  regex,
  css,
  xpath,
  boundary,
  header,
  cookie,
};

/**
 * For each transform, returns the JavaScript code that applies it. `value` is the code for the text
 * to transform.
 */
const TRANSFORMS: { readonly [T in Transform]: (value: string, script: Script) => string } = {
  trim: (value) => `${value}.trim()`,
  lowercase: (value) => `${value}.toLowerCase()`,
  uppercase: (value) => `${value}.toUpperCase()`,
  url_encode: (value) => `encodeURIComponent(${value})`,
  url_decode: (value) => `decodeURIComponent(${value})`,
  base64_encode: (value, script) => `${script.import("k6/encoding", "b64encode")}(${value})`,
  base64_decode: (value, script) =>
    `${script.import("k6/encoding", "b64decode")}(` +
    `${value}.replace(/-/g, '+').replace(/_/g, '/').replace(/=+$/, ''), 'rawstd', 's')`,
  html_decode: (value, script) => `${script.use("decodeHtml")}(${value})`,
  json_decode: (value, script) => `${script.use("decodeEscapes")}(${value})`,
  number: (value, script) => `${script.use("jsonNumber")}(${value})`,
  path: (value, script) => `${script.use("pathAndQuery")}(${value})`,
};

/**
 * Returns the JavaScript code for the value that an extractor takes from the response in the
 * variable `res`. The code evaluates to undefined if the extraction fails.
 */
export function extractorCode(extractor: Extractor, scope: FlowScope): string {
  const { script } = scope;
  if ("row" in extractor && extractor.row !== undefined) {
    script.note("k6-row", extractor.name, "the option `row` is ignored");
  }
  const found = writeKind(extractor.type, extractor, scope);
  const { default: fallback, transform = [] } = extractor;
  if (found === undefined) return fallback === undefined ? "undefined" : dataCode(fallback, script);
  const options: Member[] = [];
  if (transform.length > 0) {
    options.push(["transform", `(value) => ${transformCode(transform, script)}`]);
  }
  if (fallback !== undefined) options.push(["fallback", dataCode(fallback, script)]);
  const find = `() => ${pick(found, extractor.index ?? "first", script)}`;
  const more = options.length === 0 ? [] : [objectCode(options)];
  return callCode(script.use("extract"), [find, ...more]);
}

function writeKind<K extends ExtractorKind>(kind: K, extractor: ExtractorOf<K>, scope: FlowScope) {
  return EXTRACTORS[kind].write(extractor, "res", scope);
}

function pick(
  { all, first }: Found,
  index: NonNullable<Extractor["index"]>,
  script: Script,
): string {
  switch (index) {
    case "first":
      return first ?? `${all}[0]`;
    case "last":
      return `${all}.at(-1)`;
    case "random":
      return `${script.use("randomItem")}(${all})`;
    case "all":
      return `${script.use("nonEmpty")}(${all})`;
    default:
      return `${all}[${index}]`;
  }
}

function transformCode(transforms: readonly Transform[], script: Script): string {
  if (transforms[0] === undefined) return "value";
  const start = `${script.use("text")}(value)`;
  return transforms.reduce((value, transform, i) => {
    const asText = i > 0 && transforms[i - 1] === "number" ? `String(${value})` : value;
    return TRANSFORMS[transform](asText, script);
  }, start);
}
