import type { ConditionWriter } from "./condition_writer.ts";

/** Reports `xpath` conditions, which k6 cannot test. */
export const xpath: ConditionWriter<"xpath"> = {
  write({ expression }, _r, { script }) {
    script.note("k6-xpath", expression, "the condition is omitted, because k6 has no XPath");
    return undefined;
  },
};
