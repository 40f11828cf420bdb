import { selectAll, selectOne } from "css-select";
import { type AnyNode, type Document, type Element, hasChildren, isText } from "domhandler";
import { parseDocument } from "htmlparser2";

/** A parsed page, or XML if it says that it is. */
export function parseHtml(text: string): Document {
  return parseDocument(text, { xmlMode: /^\s*<\?xml\b/.test(text) });
}

/** Every element that a CSS selector selects, in document order. */
export function selectCss(selector: string, page: Document): Element[] {
  return selectAll<AnyNode, Element>(selector, page);
}

/** True when the CSS selector selects something. */
export function existsCss(selector: string, page: Document): boolean {
  return selectOne<AnyNode, Element>(selector, page) !== null;
}

/** The text within a node. */
export function textOf(node: AnyNode): string {
  if (isText(node)) return node.data;
  return hasChildren(node) ? node.children.map(textOf).join("") : "";
}

/** Text with its character references (`&amp;`, `&#39;`) replaced by what they stand for. */
export function decodeHtml(text: string): string {
  return textOf(parseDocument(text.replaceAll("<", "&lt;")));
}
