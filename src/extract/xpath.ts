import xpath from "xpath";
import type { Find } from "./find.ts";
import { type ParsedHtml, parseHtml } from "./parse_html.ts";
import { type DomNode, toXPathDom } from "./xpath_dom.ts";

interface Outcome {
  stringValue(): string;
  /** There for node sets only. */
  toArray?(): DomNode[];
}

// The package's types leave out the parser that it exports.
const { parse } = xpath as unknown as {
  parse(expression: string): {
    evaluate(options: { node: DomNode; isHtml: boolean }): Outcome;
  };
};

/**
 * Evaluates an XPath 1.0 expression: yields the text of each node, or the one value that it computes.
 * Throws MarkupError when that takes too long.
 */
export function findXPath(expression: string): Find {
  const compiled = parse(expression);
  return (received) => {
    const node = domOnce(received.html(parseHtml));
    node.restartTime();
    const outcome = compiled.evaluate({ node, isHtml: true });
    if (outcome.toArray === undefined) return [outcome.stringValue()];
    return outcome.toArray().map((found) => found.textContent);
  };
}

const doms = new WeakMap<ParsedHtml, DomNode>();

function domOnce(page: ParsedHtml): DomNode {
  let dom = doms.get(page);
  if (dom === undefined) doms.set(page, dom = toXPathDom(page));
  return dom;
}
