import type { Find } from "./find.ts";
import { parseHtml, selectCss } from "./parse_html.ts";

/** The text, or an attribute, of every element that a CSS selector selects. */
export function findCss(selector: string, attribute: string | undefined): Find {
  return (received) => selectCss(selector, attribute, received.html(parseHtml));
}
