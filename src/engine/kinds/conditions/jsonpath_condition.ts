import { findJsonPath } from "../../../extract/jsonpath.ts";
import { READS_BODY } from "../../../extract/response_view.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";
import { asText } from "../../../base/exact_json.ts";
import { compileComparison, compileCount } from "./comparison.ts";
import { sameJson } from "../../flow/operators.ts";

/**
 * `jsonpath` condition: tests the first value that a JSONPath expression selects, or whether the
 * expression selects any value.
 */
export const jsonpath: ConditionRuntime<"jsonpath"> = {
  reads: READS_BODY,
  compile({ expression, equals, exists, matches, count, ...limits }) {
    const find = findJsonPath(expression);
    const compare = compileComparison(limits);
    const isCount = compileCount(count);
    const pattern = matches === undefined ? undefined : new RegExp(matches);
    const testsValue = compare !== undefined || pattern !== undefined || equals !== undefined;
    return ({ received }) => {
      if (isCount && !isCount([...find(received)].length)) return false;
      if (isCount && !testsValue) return true;
      const found = first(find(received));
      if (found === undefined) return exists === false && !testsValue;
      return exists !== false && (equals === undefined || sameJson(found, equals)) &&
        (compare?.(found) ?? true) && (pattern?.test(asText(found)) ?? true);
    };
  },
};

function first(found: Iterable<unknown>): unknown {
  for (const value of found) return value;
  return undefined;
}
