import { jsonPathError } from "../../base/jsonpath_error.ts";
import { backtrackingGroup } from "../../base/regex_backtracking.ts";
import type { DiagnosticCode } from "../diagnostic.ts";
import type { CheckContext } from "./check_context.ts";

/** A regular expression compiles, and ends soon on whatever it is tried on. */
export function checkRegex(walk: CheckContext, source: string): void {
  try {
    new RegExp(source);
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, "");
    const hint = /\(\?[ims]+\)/.test(source)
      ? "JavaScript has no inline flags such as `(?s)`: write `(?s:…)`, or `[^]` for any character"
      : "";
    return walk.report("bad-regex", `not a regular expression: ${reason}`, { hint });
  }
  const group = backtrackingGroup(source);
  if (group === undefined) return;
  walk.report("slow-regex", `can take for ever on text that it does not match: ${group}`, {
    hint: "repeat something that can take the same text in one way only",
    severity: "warning",
  });
}

/** Checks that the expression of an extractor has the group that it takes. */
export function checkRegexExtractor(
  walk: CheckContext,
  { expression, group = 1 }: Record<string, unknown>,
): void {
  if (typeof expression !== "string" || typeof group !== "number") return;
  const groups = groupCount(expression);
  if (groups === undefined || group <= groups) return;
  const message = groups === 0
    ? "no capture group: the extractor would never find anything"
    : `no capture group ${group}: the expression has ${groups}`;
  const hint = "put `(…)` around the value, or set `group: 0` to take the whole match";
  walk.report("bad-regex", message, { below: ["expression"], hint, severity: "warning" });
}

/** Returns the number of capture groups, or undefined if the expression is not valid. */
function groupCount(expression: string): number | undefined {
  try {
    return new RegExp(`${expression}|`).exec("")!.length - 1;
  } catch {
    return undefined;
  }
}

/** A JSONPath parses as RFC 9535 wants it. */
export function checkJsonPath(walk: CheckContext, path: string): void {
  const error = jsonPathError(path);
  if (error) {
    walk.report("bad-jsonpath", `not a JSONPath: ${error.message}`, { within: error.offset });
  }
}

/** A CSS selector parses. */
export function checkCss(walk: CheckContext, selector: string): void {
  reportSelector(walk, "bad-css", "not a CSS selector", walk.selectors?.cssError(selector));
}

/** An XPath expression parses. */
export function checkXPath(walk: CheckContext, expression: string): void {
  reportSelector(
    walk,
    "bad-xpath",
    "not an XPath expression",
    walk.selectors?.xpathError(expression),
  );
}

function reportSelector(
  walk: CheckContext,
  code: DiagnosticCode,
  what: string,
  reason: string | undefined,
): void {
  if (reason !== undefined) walk.report(code, `${what}: ${reason}`);
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/** Base64 is base64: its alphabet, and padding only at its end. */
export function checkBase64(walk: CheckContext, text: string): void {
  if (!BASE64.test(text) || text.replace(/[\s=]/g, "").length % 4 === 1) {
    walk.report("bad-base64", "not base64: expected A-Z, a-z, 0-9, + and /, padded with =");
  }
}
