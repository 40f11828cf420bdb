import type { ExtractorRuntime } from "./extractor_runtime.ts";
import { READS_HEADERS } from "./response_view.ts";

/**
 * `header` extractor: finds the value of each occurrence of a header. If `expression` is set, finds
 * the text of its first capture group in each value that matches.
 */
export const header: ExtractorRuntime<"header"> = {
  reads: READS_HEADERS,
  find({ header, expression }) {
    const name = header.toLowerCase();
    const pattern = expression === undefined ? undefined : new RegExp(expression);
    return ({ headers }) =>
      headers.filter(([known]) => known === name)
        .map(([, value]) => pattern ? pattern.exec(value)?.[1] : value)
        .filter((value) => value !== undefined);
  },
};
