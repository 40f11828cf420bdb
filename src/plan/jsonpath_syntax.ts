import { compile } from "json-p3";

/**
 * Matches JSONPath expressions that consist only of names and indexes, such as `$.items[0].id`.
 * They are always valid, and most paths in a plan have this form.
 */
const SINGULAR = /^\$(?:\.[A-Za-z_][A-Za-z0-9_]*|\[(?:0|[1-9]\d{0,8})\])*$/;

/**
 * Returns the syntax error in a JSONPath expression and its zero-based offset (in UTF-16 code
 * units), or undefined if the expression is valid.
 */
export function jsonPathError(
  path: string,
): { message: string; offset?: number } | undefined {
  if (SINGULAR.test(path)) return undefined;
  try {
    compile(path);
    return undefined;
  } catch (error) {
    const { message, token } = error as Error & { token?: { index: number } };
    // Callers print the path and the position themselves, so remove them from the message.
    return { message: message.replace(/ \('[^]*$/, ""), offset: token?.index };
  }
}
