import { selectAll, selectOne } from "css-select";
import {
  type AnyNode,
  type ChildNode,
  type Document,
  DomHandler,
  type Element,
  hasChildren,
  isTag,
  isText,
} from "domhandler";
import * as domutils from "domutils";
import { parseDocument, Parser } from "htmlparser2";
import { MarkupLimits, TimeLimit } from "./markup_limits.ts";

/** Parsed page (an htmlparser2 document). Only code in this folder depends on its structure. */
export interface ParsedHtml {
  readonly type: string;
}

/**
 * Parses HTML, or XML if the text starts with an XML declaration. Throws MarkupError if the page is
 * nested too deeply or has too many nodes.
 */
export function parseHtml(text: string): ParsedHtml {
  const options = { xmlMode: /^\s*<\?xml\b/.test(text) };
  const builder = new PageBuilder(null, options);
  new Parser(builder, options).end(text);
  return builder.root;
}

/**
 * Yields the text of every element that matches a CSS selector, in document order. If `attribute`
 * is set, yields the value of this attribute instead and skips elements that do not have it. Throws
 * MarkupError if the evaluation takes more than `MAX_MS`.
 */
export function* selectCss(
  selector: string,
  attribute: string | undefined,
  page: ParsedHtml,
): Generator<string> {
  const time = new TimeLimit();
  const options = { adapter: adapterFor(time) };
  for (const element of selectAll<AnyNode, Element>(selector, page as Document, options)) {
    const value = attribute === undefined ? textContent(element, time) : element.attribs[attribute];
    if (value !== undefined) yield value;
  }
}

/**
 * Reports whether a CSS selector matches an element. Throws MarkupError if the evaluation takes
 * more than `MAX_MS`.
 */
export function existsCss(selector: string, page: ParsedHtml): boolean {
  const options = { adapter: adapterFor(new TimeLimit()) };
  return selectOne<AnyNode, Element>(selector, page as Document, options) !== null;
}

/**
 * Returns the number of elements that a CSS selector matches. Throws MarkupError if the evaluation
 * takes more than `MAX_MS`.
 */
export function countCss(selector: string, page: ParsedHtml): number {
  const options = { adapter: adapterFor(new TimeLimit()) };
  return selectAll<AnyNode, Element>(selector, page as Document, options).length;
}

/**
 * Decodes the character references in text.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { decodeHtml } from "./parse_html.ts";
 *
 * assertEquals(decodeHtml("Tom &amp; Jerry&#39;s"), "Tom & Jerry's");
 * ```
 */
export function decodeHtml(text: string): string {
  return textContent(parseDocument(text.replaceAll("<", "&lt;")), new TimeLimit());
}

class PageBuilder extends DomHandler {
  readonly #limits = new MarkupLimits();

  override onopentag(name: string, attributes: Record<string, string>): void {
    this.#limits.open();
    super.onopentag(name, attributes);
  }

  override onclosetag(): void {
    this.#limits.close();
    super.onclosetag();
  }

  protected override addNode(node: ChildNode): void {
    this.#limits.add();
    super.addNode(node);
  }
}

/** Returns css-select's default adapter with a time limit added. */
function adapterFor(time: TimeLimit) {
  return {
    ...domutils,
    isTag(node: AnyNode): node is Element {
      time.step();
      return isTag(node);
    },
    getParent(node: AnyNode) {
      time.step();
      return domutils.getParent(node);
    },
    getText(node: AnyNode | AnyNode[]): string {
      countNodes(node, time);
      return domutils.getText(node);
    },
    prevElementSibling(node: AnyNode) {
      time.step();
      return domutils.prevElementSibling(node);
    },
  };
}

function countNodes(node: AnyNode | AnyNode[], time: TimeLimit): void {
  time.step();
  if (Array.isArray(node)) { for (const one of node) countNodes(one, time); }
  else if (hasChildren(node)) { for (const child of node.children) countNodes(child, time); }
}

function textContent(node: AnyNode, time: TimeLimit): string {
  time.step();
  if (isText(node)) return node.data;
  return hasChildren(node) ? node.children.map((child) => textContent(child, time)).join("") : "";
}
