import type { ExtractorRuntime } from "./extractor_runtime.ts";
import { READS_BODY, searched } from "./response_view.ts";

/**
 * `boundary` extractor: finds each string between the delimiters `left` and `right`. If `right` is
 * empty, the string extends to the end of the body.
 */
export const boundary: ExtractorRuntime<"boundary"> = {
  reads: READS_BODY,
  find: ({ left, right }) =>
    function* (response) {
      const text = searched(response);
      for (let at = text.indexOf(left); at >= 0;) {
        const from = at + left.length;
        const to = right === "" ? text.length : text.indexOf(right, from);
        if (to < 0) return;
        yield text.slice(from, to);
        const next = text.indexOf(left, Math.max(to + right.length, at + 1));
        // At the end of the text, the search finds an empty delimiter again at the same offset.
        at = next > at ? next : -1;
      }
    },
};
