import { bytes, plural, time } from "../../base/format.ts";
import { asText } from "../../base/exact_json.ts";
import type { TestedResponse } from "../../engine/flow/scope.ts";
import { findJsonPath } from "../../extract/jsonpath.ts";
import { conditionName } from "../../plan/kinds/request.ts";
import type { Assertion, Condition } from "../../plan/kinds/conditions.ts";

/**
 * Describes a check or an assertion that is false for a response, such as
 * `login works: expected status equals 200, got 500`. Omits the actual value if it is unknown.
 * Contains recorded text, which is not escaped.
 */
export function describeFailed(condition: Condition | Assertion, response: TestedResponse): string {
  const name = conditionName(condition);
  const expected = conditionName({ ...condition, name: undefined });
  const actual = actualValue(condition, response);
  const parts = [
    ...(name === expected ? [] : [`expected ${expected}`]),
    ...(actual === undefined ? [] : [`got ${actual}`]),
  ];
  return parts.length === 0 ? name : `${name}: ${parts.join(", ")}`;
}

function actualValue(
  condition: Condition | Assertion,
  tested: TestedResponse,
): string | undefined {
  const { status, bodySize } = tested.response;
  if (status === 0) return "no response";
  switch (condition.type) {
    case "status":
      return String(status);
    case "duration":
      return time(tested.durationMs);
    case "size":
      return bytes(bodySize);
    case "header": {
      const name = condition.header.toLowerCase();
      return tested.headers.find(([known]) => known === name)?.[1] ?? "no such header";
    }
    case "jsonpath":
      return jsonValue(condition, tested);
    default:
      return undefined;
  }
}

/**
 * Returns, as text, the first value that the JSONPath of a condition finds, or `no such value`. If
 * the condition tests the number of values, returns that number instead, such as `2 values`.
 * Returns undefined if the body is not JSON.
 */
function jsonValue(
  { expression, count }: Extract<Condition, { type: "jsonpath" }>,
  tested: TestedResponse,
): string | undefined {
  try {
    if (tested.json === undefined) return undefined;
    const values = [...findJsonPath(expression)(tested)];
    if (count !== undefined) return plural(values.length, "value");
    return values.length === 0 ? "no such value" : asText(values[0]);
  } catch {
    return undefined;
  }
}
