import type { FlowScope } from "./flow_scope.ts";
import { callCode, type Member, objectCode, patternLiteral, stringLiteral } from "./javascript.ts";
import { cssCode, headerCode, jsonPathCode, noteSelector } from "./responses.ts";
import { dataCode } from "./rows.ts";
import type { Script } from "./script.ts";
import type { Extractor, ExtractorKind, Transform } from "../../plan/kinds/extractors.ts";

/** Extractor of kind `K`, as written in the plan. */
type ExtractorOf<K extends ExtractorKind> = Extract<Extractor, { type: K }>;

/** JavaScript code that finds values in a response. */
interface Found {
  /** Code for the list of all values. */
  readonly all: string;
  /** Code for the first value. If undefined, the script uses the first item of `all`. */
  readonly first?: string;
}

/**
 * Writes extractors of kind `K` as JavaScript. `src/plan/kinds/extractors` defines their syntax.
 */
interface ExtractorWriter<K extends ExtractorKind> {
  /**
   * Returns JavaScript code that finds values in the response in the variable `response`. Returns
   * undefined if k6 cannot find the values.
   */
  write(extractor: ExtractorOf<K>, response: string, scope: FlowScope): Found | undefined;
}

/** Writer for each kind of extractor. */
const EXTRACTORS: { readonly [K in ExtractorKind]: ExtractorWriter<K> } = {
  jsonpath: {
    write({ name, expression }, response, { script }) {
      const code = jsonPathCode(expression, response, script);
      if (code === undefined) {
        script.note(
          "k6-jsonpath",
          name,
          `\`${expression}\` is not exported: the variable is never set`,
        );
      }
      return code;
    },
  },
  regex: {
    write({ expression, group = 1 }, response, { script }) {
      const pattern = patternLiteral(expression, "g");
      return { all: `${script.use("matches")}(${response}, ${pattern}, ${group})` };
    },
  },
  css: {
    write({ expression, attribute, index = "first" }, response, { script }) {
      if (attribute === undefined) {
        return { all: `${cssCode(expression, response, script)}.map((element) => element.text())` };
      }
      const name = stringLiteral(attribute);
      if (index !== "first" || !/^[a-z][\w-]*$/.test(attribute)) {
        const values = `${
          cssCode(expression, response, script)
        }.map((element) => element.attr(${name}))`;
        return { all: `${values}.filter((value) => value !== undefined)` };
      }
      noteSelector(expression, script);
      // Skips elements without the attribute, as the plan does.
      const first = `${response}.html().find(${stringLiteral(expression)})` +
        `.filter('[${attribute}]').attr(${name})`;
      return { all: `[${first}]`, first };
    },
  },
  xpath: {
    write({ name, expression }, _response, { script }) {
      script.note("k6-xpath", name, `\`${expression}\` is not exported: the variable is never set`);
      return undefined;
    },
  },
  boundary: {
    write({ left, right }, response, { script }) {
      const delimiters = `${stringLiteral(left)}, ${stringLiteral(right)}`;
      return { all: `${script.use("between")}(${response}, ${delimiters})` };
    },
  },
  // k6 joins several headers with the same name into one value.
  header: {
    write({ header, expression }, response) {
      const value = headerCode(header, response);
      const first = expression === undefined
        ? value
        : `${value}?.match(${patternLiteral(expression)})?.[1]`;
      return { all: `[${first}].filter((value) => value !== undefined)`, first };
    },
  },
  cookie: {
    write: ({ cookie }, response, { script }) => ({
      all: `${script.use("cookieValues")}(${response}, ${stringLiteral(cookie)})`,
    }),
  },
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
