import type { ExtractorRuntime } from "./extractor_runtime.ts";
import { READS_HEADERS } from "./response_view.ts";

/**
 * Finds the values of a header, one for each occurrence. With an expression, finds the match of its
 * first group in each value.
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
