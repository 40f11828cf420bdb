/** The checks of selectors, whose libraries are loaded only for plans that have any. */
export interface SelectorSyntax {
  /** What is wrong with a CSS selector, or undefined. */
  readonly cssError: (selector: string) => string | undefined;
  /** What is wrong with an XPath expression, or undefined. */
  readonly xpathError: (expression: string) => string | undefined;
}
