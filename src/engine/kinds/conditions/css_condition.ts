import { READS_BODY } from "../../../extract/response_view.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";

/** `css` condition: tests whether a CSS selector matches an element of the page. */
export const css: ConditionRuntime<"css"> = {
  reads: READS_BODY,
  async compile({ expression, exists }) {
    const { existsCss, parseHtml } = await import("../../../extract/parse_html.ts");
    return ({ received }) => existsCss(expression, received.html(parseHtml)) === (exists ?? true);
  },
};
