import { patternLiteral } from "../../js/literal.ts";
import { type ConditionWriter, countCode } from "./condition_writer.ts";

/** Writes `body_matches` conditions as JavaScript. */
export const bodyMatches: ConditionWriter<"body_matches"> = {
  write({ pattern, negate, count }, r, scope) {
    if (count !== undefined) {
      const list = `${scope.script.use("matches")}(${r}, ${patternLiteral(pattern, "g")}, 0)`;
      return `${r}.status !== 0 && ${countCode(`${list}.length`, count)}`;
    }
    const test = `${patternLiteral(pattern)}.test(${r}.body || '')`;
    return `${r}.status !== 0 && ${negate ? "!" : ""}${test}`;
  },
};
