import { compile } from "css-select";
import xpath from "xpath";

// The package exports the parser, but its types omit it.
const { parse } = xpath as unknown as { parse(expression: string): unknown };

/** Returns the syntax error in a CSS selector, or undefined if the selector is valid. */
export function cssError(selector: string): string | undefined {
  return selector.trim() === "" ? "the selector is empty" : catchError(() => compile(selector));
}

/** Returns the syntax error in an XPath expression, or undefined if the expression is valid. */
export function xpathError(expression: string): string | undefined {
  return catchError(() => parse(expression));
}

function catchError(action: () => unknown): string | undefined {
  try {
    action();
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/\s+/g, " ").trim();
  }
}
