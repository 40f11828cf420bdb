import type { Find } from "./find.ts";
import { parseHtml, selectCss, textOf } from "./html.ts";

/** The text, or an attribute, of every element that a CSS selector selects. */
export function findCss(selector: string, attribute: string | undefined): Find {
  return function* (received) {
    for (const element of selectCss(selector, received.html(parseHtml))) {
      const value = attribute === undefined ? textOf(element) : element.attribs[attribute];
      if (value !== undefined) yield value;
    }
  };
}
