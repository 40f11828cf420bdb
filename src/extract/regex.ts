import type { ExtractorRuntime } from "./extractor_runtime.ts";
import { READS_BODY, searched } from "./response_view.ts";

/**
 * `regex` extractor: finds the text of a capture group in every match. Skips matches in which the
 * group does not participate.
 */
export const regex: ExtractorRuntime<"regex"> = {
  reads: READS_BODY,
  find({ expression, group = 1 }) {
    const pattern = new RegExp(expression, "g");
    return function* (response) {
      for (const match of searched(response).matchAll(pattern)) {
        if (match[group] !== undefined) yield match[group];
      }
    };
  },
};
