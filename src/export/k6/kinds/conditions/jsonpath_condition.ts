import { conditionName } from "../../../../plan/kinds/names.ts";
import { dataCode } from "../../flow/rows.ts";
import { patternLiteral } from "../../js/literal.ts";
import { jsonPathCode } from "../../responses/json_path.ts";
import { allOf, comparisonCodes, type ConditionWriter, countCode } from "./condition_writer.ts";

/** Writes `jsonpath` conditions as JavaScript. */
export const jsonpath: ConditionWriter<"jsonpath"> = {
  write(condition, r, scope) {
    const { type: _, name: __, expression, equals, exists, matches, count, ...limits } = condition;
    const { script } = scope;
    const path = jsonPathCode(expression, r, script);
    if (path === undefined) {
      script.note(
        "k6-jsonpath",
        conditionName(condition),
        `\`${expression}\` is not exported: ${scope.consequence}`,
      );
      return undefined;
    }
    const { first, all } = path;
    const tests = [
      ...(count === undefined ? [] : [countCode(`${all}.length`, count)]),
      ...(equals === undefined ? [] : [equalsCode(equals)]),
      ...comparisonCodes(`${script.use("numeric")}(${first})`, limits),
      ...(matches === undefined
        ? []
        : [`${first} !== undefined`, `${patternLiteral(matches)}.test(${first})`]),
    ];
    if (exists === false) {
      return `${r}.status !== 0 && ${allOf([`${first} === undefined`, ...tests])}`;
    }
    return tests.length === 0 ? `${first} !== undefined` : allOf(tests);

    function equalsCode(value: unknown): string {
      const expected = dataCode(value, script);
      if (typeof value === "object" && value !== null || typeof value === "number") {
        return `${script.use(typeof value === "number" ? "equal" : "same")}(${first}, ${expected})`;
      }
      return `${first} === ${expected}`;
    }
  },
};
