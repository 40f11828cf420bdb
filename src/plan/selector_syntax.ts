/** Syntax checks of selectors. Their libraries are loaded only for plans with selectors. */
export interface SelectorSyntax {
  /** Returns the syntax error of a CSS selector, or undefined. */
  readonly cssError: (selector: string) => string | undefined;
  /** Returns the syntax error of an XPath expression, or undefined. */
  readonly xpathError: (expression: string) => string | undefined;
}
