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

/** Browsers flatten elements nested deeper than 512. */
export const MAX_OPEN_ELEMENTS = 1_000;
/** Elements, text nodes and comments. */
export const MAX_NODES = 1_000_000;
/** Maximum time for evaluating a CSS selector or an XPath expression on a page, in milliseconds. */
const MAX_MS = 1_000;

/** Error for a page or an expression that exceeds a limit. */
export class MarkupError extends Error {
  override readonly name = "MarkupError";
}

/** The parser searches the open elements at each tag, so a limit on the depth is necessary. */
export class MarkupLimits {
  #depth = 0;
  #nodes = 0;

  open(): void {
    if (++this.#depth <= MAX_OPEN_ELEMENTS) return;
    throw new MarkupError(`the markup is nested deeper than ${MAX_OPEN_ELEMENTS} elements`);
  }

  close(): void {
    this.#depth--;
  }

  add(): void {
    if (++this.#nodes <= MAX_NODES) return;
    throw new MarkupError(`the page has more than ${MAX_NODES} elements, text nodes and comments`);
  }
}

const STEPS_PER_CHECK = 256;

/** Limits the time of an evaluation, which can be quadratic in the size of the page. */
export class TimeLimit {
  #steps = 0;
  #endsAt = performance.now() + MAX_MS;

  restart(): void {
    this.#endsAt = performance.now() + MAX_MS;
  }

  step(): void {
    if (++this.#steps % STEPS_PER_CHECK > 0 || performance.now() < this.#endsAt) return;
    throw new MarkupError(`the expression takes more than ${MAX_MS} ms on this page`);
  }
}

/** Parsed page (an htmlparser2 document). Only code in this folder depends on its structure. */
export interface ParsedHtml {
  readonly type: string;
}

/** Parses HTML, or XML with an XML declaration. Throws MarkupError. */
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

/** Text, or value of `attribute`, of matching elements, in document order. Throws MarkupError. */
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

/** Reports whether a selector matches an element. Throws MarkupError. */
export function existsCss(selector: string, page: ParsedHtml): boolean {
  const options = { adapter: adapterFor(new TimeLimit()) };
  return selectOne<AnyNode, Element>(selector, page as Document, options) !== null;
}

/** Number of elements that match. Throws MarkupError. */
export function countCss(selector: string, page: ParsedHtml): number {
  const options = { adapter: adapterFor(new TimeLimit()) };
  return selectAll<AnyNode, Element>(selector, page as Document, options).length;
}

/** Decodes the character references in text. */
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
  if (Array.isArray(node)) { for (const item of node) countNodes(item, time); }
  else if (hasChildren(node)) { for (const child of node.children) countNodes(child, time); }
}

function textContent(node: AnyNode, time: TimeLimit): string {
  time.step();
  if (isText(node)) return node.data;
  return hasChildren(node) ? node.children.map((child) => textContent(child, time)).join("") : "";
}
