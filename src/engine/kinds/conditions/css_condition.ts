import { countCss, existsCss, parseHtml } from "../../../extract/parse_html.ts";
import { READS_BODY } from "../../../extract/response_view.ts";
import { compileCount } from "./comparison.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";

/** `css` condition: tests whether a CSS selector matches an element of the page. */
export const css: ConditionRuntime<"css"> = {
  reads: READS_BODY,
  compile({ expression, exists, count }) {
    const isCount = compileCount(count);
    if (isCount) {
      return ({ received }) => isCount(countCss(expression, received.html(parseHtml)));
    }
    return ({ received }) => existsCss(expression, received.html(parseHtml)) === (exists ?? true);
  },
};
