import { patternLiteral } from "../../js/literal.ts";
import { allOf, type ConditionWriter } from "./condition_writer.ts";

/** Writes `status` conditions as JavaScript. */
export const status: ConditionWriter<"status"> = {
  write: ({ equals, one_of, matches }, r) =>
    allOf([
      ...(equals === undefined ? [] : [`${r}.status === ${equals}`]),
      ...(one_of === undefined ? [] : [`[${one_of.join(", ")}].includes(${r}.status)`]),
      ...(matches === undefined
        ? []
        : [`${r}.status !== 0 && ${patternLiteral(matches)}.test(${r}.status)`]),
    ]),
};
