import { compile as compileCss } from "css-select";
import { compile as compileJsonPath } from "json-p3";
import xpath from "xpath";
import type { CheckContext } from "./check_context.ts";
import type { DiagnosticCode } from "./diagnostic.ts";

/** Reports an invalid regular expression. */
export function checkRegex(context: CheckContext, source: string): void {
  try {
    new RegExp(source);
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, "");
    const hint = /\(\?[ims]+\)/.test(source)
      ? "JavaScript has no inline flags such as `(?s)`: write `(?s:…)`, or `[^]` for any character"
      : "";
    context.report("bad-regex", `not a regular expression: ${reason}`, { hint });
  }
}

/**
 * Matches JSONPath expressions that consist only of names and indexes, such as `$.items[0].id`.
 * They are always valid, and most paths in a plan have this form.
 */
const SINGULAR = /^\$(?:\.[A-Za-z_][A-Za-z0-9_]*|\[(?:0|[1-9]\d{0,8})\])*$/;

/** Reports a JSONPath expression that is invalid according to RFC 9535. */
export function checkJsonPath(context: CheckContext, path: string): void {
  if (SINGULAR.test(path)) return;
  try {
    compileJsonPath(path);
  } catch (error) {
    const { message, token } = error as Error & { token?: { index: number } };
    // The diagnostic shows the path and the position, so remove them from the message.
    const reason = message.replace(/ \('[^]*$/, "");
    context.report("bad-jsonpath", `not a JSONPath: ${reason}`, { within: token?.index });
  }
}

/** Reports an invalid CSS selector. */
export function checkCss(context: CheckContext, selector: string): void {
  if (selector.trim() === "") {
    context.report("bad-css", "not a CSS selector: the selector is empty");
  } else reportFault(context, "bad-css", "not a CSS selector", () => compileCss(selector));
}

// The package exports the parser, but its types omit it.
const { parse } = xpath as unknown as { parse(expression: string): unknown };

/** Reports an invalid XPath expression. */
export function checkXPath(context: CheckContext, expression: string): void {
  reportFault(context, "bad-xpath", "not an XPath expression", () => parse(expression));
}

function reportFault(
  context: CheckContext,
  code: DiagnosticCode,
  what: string,
  compile: () => unknown,
): void {
  try {
    compile();
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, " ").trim();
    context.report(code, `${what}: ${reason}`);
  }
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/** Reports text that is not Base64. Checks the characters, the padding and the length. */
export function checkBase64(context: CheckContext, text: string): void {
  if (!BASE64.test(text) || text.replace(/[\s=]/g, "").length % 4 === 1) {
    context.report("bad-base64", "not Base64: expected A-Z, a-z, 0-9, + and /, padded with =");
  }
}
