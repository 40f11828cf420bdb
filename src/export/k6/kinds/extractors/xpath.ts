import type { ExtractorWriter } from "./extractor_writer.ts";

/** Adds a note for each `xpath` extractor, which k6 does not support. */
export const xpath: ExtractorWriter<"xpath"> = {
  write({ name, expression }, _response, { script }) {
    script.note("k6-xpath", name, `\`${expression}\` is not exported: the variable is never set`);
    return undefined;
  },
};
