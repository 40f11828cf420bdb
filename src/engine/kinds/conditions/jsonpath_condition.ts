import { READS_BODY } from "../../../extract/response_view.ts";
import type { ConditionRuntime } from "./condition_runtime.ts";
import { sameJson } from "../../flow/same_json.ts";

/**
 * `jsonpath` condition: tests the first value that a JSONPath expression selects, or whether the
 * expression selects any value.
 */
export const jsonpath: ConditionRuntime<"jsonpath"> = {
  reads: READS_BODY,
  async compile({ expression, equals, exists }) {
    const { findJsonPath } = await import("../../../extract/jsonpath.ts");
    const find = findJsonPath(expression);
    return ({ received }) => {
      const found = first(find(received));
      if (equals !== undefined) return found !== undefined && sameJson(found, equals);
      return (found !== undefined) === (exists ?? true);
    };
  },
};

function first(found: Iterable<unknown>): unknown {
  for (const value of found) return value;
  return undefined;
}
