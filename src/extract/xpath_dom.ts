import { type AnyNode, hasChildren, isCDATA, isComment, isTag, isText } from "domhandler";
import xpathLibrary from "xpath";
import { MarkupError, type ParsedHtml, parseHtml, TimeLimit } from "./parse_html.ts";
import type { Find } from "./response_view.ts";

/** Counts attributes too. The library for XPath takes quadratic time. */
const MAX_XPATH_NODES = 100_000;

interface Outcome {
  stringValue(): string;
  /** Absent if the expression computes a single value. */
  toArray?(): DomNode[];
}

// The package exports a parser that its types omit.
const { parse } = xpathLibrary as unknown as {
  parse(expression: string): {
    evaluate(options: { node: DomNode; isHtml: boolean }): Outcome;
  };
};

/** Finds the text of selected nodes, or the computed value. Throws MarkupError. */
export function findXPath(expression: string): Find {
  const compiled = parse(expression);
  return (response) => {
    const node = domOnce(response.html(parseHtml));
    node.restartTime();
    const outcome = compiled.evaluate({ node, isHtml: true });
    if (outcome.toArray === undefined) return [outcome.stringValue()];
    return outcome.toArray().map((found) => found.textContent);
  };
}

const doms = new WeakMap<ParsedHtml, DomNode>();

function domOnce(page: ParsedHtml): DomNode {
  const root = () => convert(page as AnyNode, null, { time: new TimeLimit(), nodes: 0 })!;
  return doms.getOrInsertComputed(page, root);
}

const ELEMENT = 1;
const ATTRIBUTE = 2;
const TEXT = 3;
const COMMENT = 8;
const DOCUMENT = 9;
const PRECEDING = 2;
const FOLLOWING = 4;

/** Attributes of an element: a list with the DOM method `item`. */
type Attributes = DomNode[] & { item(index: number): DomNode };
const NO_ATTRIBUTES: Attributes = Object.assign([], { item: () => null! });

interface Shared {
  readonly time: TimeLimit;
  nodes: number;
}

/** What the `xpath` package uses. Reading a neighbor throws MarkupError after the time limit. */
class DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly localName: string | null;
  readonly namespaceURI = null;
  readonly nodeValue: string | null;
  readonly childNodes: DomNode[] = [];
  attributes: Attributes = NO_ATTRIBUTES;
  readonly #parent: DomNode | null;
  readonly #document: DomNode | null;
  readonly #shared: Shared;
  /** Zero-based, in document order. */
  readonly #order: number;
  #next: DomNode | null = null;
  #previous: DomNode | null = null;

  constructor(
    nodeType: number,
    name: string | null,
    value: string | null,
    parent: DomNode | null,
    shared: Shared,
  ) {
    this.nodeType = nodeType;
    this.nodeName = name ?? "";
    this.localName = name;
    this.nodeValue = value;
    this.#parent = parent;
    this.#document = parent === null ? null : parent.#document ?? parent;
    this.#shared = shared;
    this.#order = shared.nodes++;
    if (shared.nodes <= MAX_XPATH_NODES) return;
    throw new MarkupError(
      `the page has more than ${MAX_XPATH_NODES} nodes, which is too many for XPath: use a \`css\` extractor instead`,
    );
  }

  get parentNode(): DomNode | null {
    this.#shared.time.step();
    return this.nodeType === ATTRIBUTE ? null : this.#parent;
  }

  get ownerElement(): DomNode | null {
    return this.nodeType === ATTRIBUTE ? this.#parent : null;
  }

  get ownerDocument(): DomNode | null {
    return this.#document;
  }

  get documentElement(): DomNode | null {
    return this.childNodes.find((child) => child.nodeType === ELEMENT) ?? null;
  }

  get firstChild(): DomNode | null {
    this.#shared.time.step();
    return this.childNodes[0] ?? null;
  }

  get nextSibling(): DomNode | null {
    this.#shared.time.step();
    return this.#next;
  }

  get previousSibling(): DomNode | null {
    this.#shared.time.step();
    return this.#previous;
  }

  /** Text of the node and its descendants, without comments. */
  get textContent(): string {
    this.#shared.time.step();
    return this.nodeValue ?? this.childNodes
      .filter((child) => child.nodeType !== COMMENT).map((child) => child.textContent).join("");
  }

  /** Without this method, the `xpath` package would search the siblings in quadratic time. */
  compareDocumentPosition(other: DomNode): number {
    this.#shared.time.step();
    return other.#order < this.#order ? PRECEDING : FOLLOWING;
  }

  restartTime(): void {
    this.#shared.time.restart();
  }

  append(child: DomNode): void {
    const last = this.childNodes.at(-1);
    if (last) [last.#next, child.#previous] = [child, last];
    this.childNodes.push(child);
  }
}

function convert(from: AnyNode, parent: DomNode | null, shared: Shared): DomNode | undefined {
  const type = xpathNodeType(from);
  if (type === undefined) return undefined;
  const name = isTag(from) ? from.name : null;
  const value = isText(from) || isComment(from) ? from.data : null;
  const node = new DomNode(type, name, value, parent, shared);
  if (isTag(from)) node.attributes = toXPathAttributes(from.attribs, node, shared);
  for (const child of hasChildren(from) ? from.children.flatMap(unwrapCData) : []) {
    const converted = convert(child, node, shared);
    if (converted !== undefined) node.append(converted);
  }
  return node;
}

function toXPathAttributes(
  from: Readonly<Record<string, string>>,
  owner: DomNode,
  shared: Shared,
): Attributes {
  const all = Object.entries(from).map(([key, text]) =>
    new DomNode(ATTRIBUTE, key, text, owner, shared)
  );
  if (all.length === 0) return NO_ATTRIBUTES;
  return Object.assign(all, { item: (index: number) => all[index] });
}

function unwrapCData(node: AnyNode): AnyNode[] {
  return isCDATA(node) ? node.children : [node];
}

function xpathNodeType(node: AnyNode): number | undefined {
  if (isTag(node)) return ELEMENT;
  if (isText(node)) return TEXT;
  if (isComment(node)) return COMMENT;
  return node.type === "root" ? DOCUMENT : undefined;
}
