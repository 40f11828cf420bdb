import type { Find } from "./find.ts";
import { parseHtml, selectCss } from "./parse_html.ts";

/** Finds the text, or an attribute, of every element that matches a CSS selector. */
export function findCss(selector: string, attribute: string | undefined): Find {
  return (response) => selectCss(selector, attribute, response.html(parseHtml));
}
