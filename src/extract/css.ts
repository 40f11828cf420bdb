import type { ExtractorRuntime } from "./extractor_runtime.ts";
import { parseHtml, selectCss } from "./parse_html.ts";
import { READS_BODY } from "./response_view.ts";

/**
 * `css` extractor: finds the text, or the value of an attribute, of every element that matches a
 * CSS selector.
 */
export const css: ExtractorRuntime<"css"> = {
  reads: READS_BODY,
  find: ({ expression, attribute }) => (response) =>
    selectCss(expression, attribute, response.html(parseHtml)),
};
