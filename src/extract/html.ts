import { selectAll, selectOne } from "css-select";
import { type AnyNode, type Document, type Element, hasChildren, isText } from "domhandler";
import { parseDocument } from "htmlparser2";

/** A parsed page: htmlparser2's document, of which only this folder knows more. */
export interface Page {
  readonly type: string;
}

/** Parses HTML, or XML if it says that it is. */
export function parseHtml(text: string): Page {
  return parseDocument(text, { xmlMode: /^\s*<\?xml\b/.test(text) });
}

/** The text, or an attribute, of every element that a CSS selector selects, in document order. */
export function* selectCss(
  selector: string,
  attribute: string | undefined,
  page: Page,
): Generator<string> {
  for (const element of selectAll<AnyNode, Element>(selector, page as Document)) {
    const value = attribute === undefined ? textOf(element) : element.attribs[attribute];
    if (value !== undefined) yield value;
  }
}

/** True when the CSS selector selects something. */
export function existsCss(selector: string, page: Page): boolean {
  return selectOne<AnyNode, Element>(selector, page as Document) !== null;
}

/** Text with its character references (`&amp;`, `&#39;`) replaced by what they stand for. */
export function decodeHtml(text: string): string {
  return textOf(parseDocument(text.replaceAll("<", "&lt;")));
}

function textOf(node: AnyNode): string {
  if (isText(node)) return node.data;
  return hasChildren(node) ? node.children.map(textOf).join("") : "";
}
