import type { ConditionWriter } from "./condition_writer.ts";

/** Adds a note for each `xpath` condition, which k6 cannot test. */
export const xpath: ConditionWriter<"xpath"> = {
  write({ expression }, _r, { script }) {
    script.note("k6-xpath", expression, "the condition is omitted, because k6 has no XPath");
    return undefined;
  },
};
