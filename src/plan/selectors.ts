import { compile } from "css-select";
import xpath from "xpath";

// The package's types leave out the parser that it exports.
const { parse } = xpath as unknown as { parse(expression: string): unknown };

/** What is wrong with a CSS selector, or undefined. */
export function cssError(selector: string): string | undefined {
  return selector.trim() === "" ? "it is empty" : catchError(() => compile(selector));
}

/** What is wrong with an XPath expression, or undefined. */
export function xpathError(expression: string): string | undefined {
  return catchError(() => parse(expression));
}

function catchError(work: () => unknown): string | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Error).message.replace(/\s+/g, " ").trim();
  }
}
