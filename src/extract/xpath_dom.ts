import { type AnyNode, hasChildren, isCDATA, isComment, isTag, isText } from "domhandler";
import type { Page } from "./html.ts";

/** As much of a DOM node as XPath asks for. */
export interface DomNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly localName: string | null;
  readonly namespaceURI: null;
  readonly nodeValue: string | null;
  readonly textContent: string;
  readonly parentNode: DomNode | null;
  readonly ownerDocument: DomNode | null;
  readonly ownerElement: DomNode | null;
  readonly documentElement: DomNode | null;
  readonly childNodes: DomNode[];
  readonly attributes: DomNode[] & { item(index: number): DomNode };
  firstChild: DomNode | null;
  nextSibling: DomNode | null;
  previousSibling: DomNode | null;
}

const ELEMENT = 1;
const ATTRIBUTE = 2;
const TEXT = 3;
const COMMENT = 8;
const DOCUMENT = 9;

/** A parsed page, with the properties that XPath looks for and htmlparser2's nodes lack. */
export function domOf(page: Page): DomNode {
  return convert(page as AnyNode, null, null)!;
}

function convert(
  from: AnyNode,
  parent: DomNode | null,
  owner: DomNode | null,
): DomNode | undefined {
  const type = typeOf(from);
  if (type === undefined) return undefined;
  const name = isTag(from) ? from.name : null;
  const value = isText(from) || isComment(from) ? from.data : null;
  const node = create(type, name, value, parent, owner);
  const document = owner ?? node;
  for (const [key, text] of Object.entries(isTag(from) ? from.attribs : {})) {
    node.attributes.push(create(ATTRIBUTE, key, text, node, document));
  }
  for (const child of hasChildren(from) ? from.children.flatMap(unwrapped) : []) {
    const converted = convert(child, node, document);
    if (converted !== undefined) append(node, converted);
  }
  return node;
}

/** CDATA is text like any other. */
function unwrapped(node: AnyNode): AnyNode[] {
  return isCDATA(node) ? node.children : [node];
}

function typeOf(node: AnyNode): number | undefined {
  if (isTag(node)) return ELEMENT;
  if (isText(node)) return TEXT;
  if (isComment(node)) return COMMENT;
  return node.type === "root" ? DOCUMENT : undefined;
}

function create(
  nodeType: number,
  name: string | null,
  value: string | null,
  parent: DomNode | null,
  owner: DomNode | null,
): DomNode {
  const attributes = Object.assign([] as DomNode[], {
    item: (index: number) => attributes[index],
  });
  const node: DomNode = {
    nodeType,
    nodeName: name ?? "",
    localName: name,
    namespaceURI: null,
    nodeValue: value,
    parentNode: nodeType === ATTRIBUTE ? null : parent,
    ownerElement: nodeType === ATTRIBUTE ? parent : null,
    ownerDocument: owner,
    childNodes: [],
    attributes,
    firstChild: null,
    nextSibling: null,
    previousSibling: null,
    get textContent(): string {
      return value ?? node.childNodes
        .filter((child) => child.nodeType !== COMMENT).map((child) => child.textContent).join("");
    },
    get documentElement(): DomNode | null {
      return node.childNodes.find((child) => child.nodeType === ELEMENT) ?? null;
    },
  };
  return node;
}

function append(parent: DomNode, child: DomNode): void {
  const last = parent.childNodes.at(-1);
  if (last) [last.nextSibling, child.previousSibling] = [child, last];
  else parent.firstChild = child;
  parent.childNodes.push(child);
}
