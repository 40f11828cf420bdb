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

/** Maximum nesting depth of elements. Browsers flatten elements nested deeper than 512. */
export const MAX_OPEN_ELEMENTS = 1_000;
/** Maximum number of nodes in a page: elements, text nodes and comments. */
export const MAX_NODES = 1_000_000;
/**
 * Maximum number of nodes, including attributes, in a page that is searched with XPath. The XPath
 * library takes quadratic time.
 */
export const MAX_XPATH_NODES = 100_000;
/** Maximum time for evaluating a CSS selector or an XPath expression on a page, in milliseconds. */
const MAX_MS = 1_000;

/** Error for a page or an expression that exceeds a limit. */
export class MarkupError extends Error {
  override readonly name = "MarkupError";
}

/**
 * Limits the nesting depth and the number of nodes of a page while it is being parsed. The parser
 * searches the open elements at each tag, so parsing takes linear time only if the nesting depth is
 * limited.
 */
export class MarkupLimits {
  #depth = 0;
  #nodes = 0;

  /** Counts an opened element. Throws MarkupError if more than `MAX_OPEN_ELEMENTS` are open. */
  open(): void {
    if (++this.#depth <= MAX_OPEN_ELEMENTS) return;
    throw new MarkupError(`the markup is nested deeper than ${MAX_OPEN_ELEMENTS} elements`);
  }

  /** Records that an open element was closed. */
  close(): void {
    this.#depth--;
  }

  /** Counts a node. Throws MarkupError if the page has more than `MAX_NODES` nodes. */
  add(): void {
    if (++this.#nodes <= MAX_NODES) return;
    throw new MarkupError(`the page has more than ${MAX_NODES} elements, text nodes and comments`);
  }
}

/** Number of steps from node to node between two checks of the time limit. */
const STEPS_PER_CHECK = 256;

/**
 * Limits the time for evaluating a CSS selector or an XPath expression, which can be quadratic in
 * the size of the page.
 */
export class TimeLimit {
  #steps = 0;
  #endsAt = performance.now() + MAX_MS;

  /** Restarts the time limit before another evaluation. */
  restart(): void {
    this.#endsAt = performance.now() + MAX_MS;
  }

  /** Counts a step from node to node. Throws MarkupError if the time limit is exceeded. */
  step(): void {
    if (++this.#steps % STEPS_PER_CHECK > 0 || performance.now() < this.#endsAt) return;
    throw new MarkupError(`the expression takes more than ${MAX_MS} ms on this page`);
  }
}

/** Parsed page (an htmlparser2 document). Only code in this folder depends on its structure. */
export interface ParsedHtml {
  readonly type: string;
}

/**
 * Parses HTML, or XML if the text starts with an XML declaration. If `withIndices` is true, the
 * nodes have offsets in the text. Throws MarkupError if the page is nested too deeply or has too
 * many nodes.
 */
export function parseHtml(text: string, withIndices = false): ParsedHtml {
  const options = {
    xmlMode: /^\s*<\?xml\b/.test(text),
    withStartIndices: withIndices,
    withEndIndices: withIndices,
  };
  const builder = new PageBuilder(undefined, options);
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
