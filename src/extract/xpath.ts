import xpathLibrary from "xpath";
import type { ExtractorRuntime } from "./extractor_runtime.ts";
import { type ParsedHtml, parseHtml } from "./parse_html.ts";
import { READS_BODY } from "./response_view.ts";
import { type DomNode, toXPathDom } from "./xpath_dom.ts";

interface Outcome {
  stringValue(): string;
  /** Returns the selected nodes. Absent if the expression computes a single value. */
  toArray?(): DomNode[];
}

// The package exports a parser that its types omit.
const { parse } = xpathLibrary as unknown as {
  parse(expression: string): {
    evaluate(options: { node: DomNode; isHtml: boolean }): Outcome;
  };
};

/**
 * `xpath` extractor: finds the text of each node that an XPath 1.0 expression selects, or the
 * single value that it computes. Throws MarkupError if the evaluation takes more than `MAX_MS`.
 */
export const xpath: ExtractorRuntime<"xpath"> = {
  reads: READS_BODY,
  find({ expression }) {
    const compiled = parse(expression);
    return (response) => {
      const node = domOnce(response.html(parseHtml));
      node.restartTime();
      const outcome = compiled.evaluate({ node, isHtml: true });
      if (outcome.toArray === undefined) return [outcome.stringValue()];
      return outcome.toArray().map((found) => found.textContent);
    };
  },
};

const doms = new WeakMap<ParsedHtml, DomNode>();

function domOnce(page: ParsedHtml): DomNode {
  let dom = doms.get(page);
  if (dom === undefined) doms.set(page, dom = toXPathDom(page));
  return dom;
}
