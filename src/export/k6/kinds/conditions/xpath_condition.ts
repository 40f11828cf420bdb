import { conditionName } from "../../../../plan/kinds/names.ts";
import type { ConditionWriter } from "./condition_writer.ts";

/** Adds a note for each `xpath` condition, which k6 cannot test. */
export const xpath: ConditionWriter<"xpath"> = {
  write(condition, _r, { script, consequence }) {
    script.note(
      "k6-xpath",
      conditionName(condition),
      `\`${condition.expression}\` is not exported: ${consequence}`,
    );
    return undefined;
  },
};
