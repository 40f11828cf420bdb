import type { Assertion, Condition } from "./conditions.ts";

/**
 * Returns the name that identifies a condition in reports and in the `check` tag: its `name`, or
 * text such as `status equals 200`.
 */
export function conditionName(condition: Condition | Assertion): string {
  if (condition.name !== undefined) return condition.name;
  const { type, name: _, ...rest } = condition;
  const keys = Object.entries(rest)
    .filter(([key]) => key !== "on_failure")
    .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [type, ...keys].join(" ");
}
