import { type ConditionRuntime, NEEDS_BODY } from "./condition_runtime.ts";

/** Tests whether a CSS selector matches an element of the page. */
export const css: ConditionRuntime<"css"> = {
  needs: NEEDS_BODY,
  async compile({ expression, exists }) {
    const { existsCss, parseHtml } = await import("../../../extract/parse_html.ts");
    return ({ received }) => existsCss(expression, received.html(parseHtml)) === (exists ?? true);
  },
};
