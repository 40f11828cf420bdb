import type { CheckContext } from "./check_context.ts";
import type { DiagnosticCode } from "./diagnostic.ts";

/**
 * Reports an error if the regular expression is invalid, and warns if matching it can take
 * exponential time.
 */
export function checkRegex(context: CheckContext, source: string): void {
  try {
    new RegExp(source);
  } catch (error) {
    const reason = (error as Error).message.replace(/^Invalid regular expression: /, "");
    const hint = /\(\?[ims]+\)/.test(source)
      ? "JavaScript has no inline flags such as `(?s)`: write `(?s:…)`, or `[^]` for any character"
      : "";
    return context.report("bad-regex", `not a regular expression: ${reason}`, { hint });
  }
  const group = context.syntax.backtrackingGroup?.(source);
  if (group === undefined) return;
  context.report("slow-regex", `${group} can take exponential time on text that does not match`, {
    hint: "rewrite the repeated group so that it can match a given string in only one way",
    severity: "warning",
  });
}

/**
 * Reports a JSONPath expression that is invalid according to RFC 9535. Does nothing if the context
 * has no check for JSONPath.
 */
export function checkJsonPath(context: CheckContext, path: string): void {
  const error = context.syntax.jsonPathError?.(path);
  if (error) {
    context.report("bad-jsonpath", `not a JSONPath: ${error.message}`, { within: error.offset });
  }
}

/** Reports an invalid CSS selector. Does nothing if the context has no check for CSS selectors. */
export function checkCss(context: CheckContext, selector: string): void {
  reportSelector(context, "bad-css", "not a CSS selector", context.syntax.cssError?.(selector));
}

/** Reports an invalid XPath expression. Does nothing if the context has no check for XPath. */
export function checkXPath(context: CheckContext, expression: string): void {
  reportSelector(
    context,
    "bad-xpath",
    "not an XPath expression",
    context.syntax.xpathError?.(expression),
  );
}

function reportSelector(
  context: CheckContext,
  code: DiagnosticCode,
  what: string,
  reason: string | undefined,
): void {
  if (reason !== undefined) context.report(code, `${what}: ${reason}`);
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/** Reports text that is not Base64. Checks the characters, the padding and the length. */
export function checkBase64(context: CheckContext, text: string): void {
  if (!BASE64.test(text) || text.replace(/[\s=]/g, "").length % 4 === 1) {
    context.report("bad-base64", "not Base64: expected A-Z, a-z, 0-9, + and /, padded with =");
  }
}
