import { isMap } from "../../../base/exact_number.ts";
import type { Condition } from "../../../plan/kinds/conditions/conditions.ts";
import { isConstantText, type MaskValues } from "./shape_pattern.ts";

/** Maximum number of member names in one check. */
const MOST_KEYS = 60;
/** Maximum number of boolean members to check. */
const MOST_FLAGS = 10;

/**
 * Returns checks for the top level of a JSON body: the names of its members, and the values of its
 * boolean members. For a list, or for an object without constant names, returns a check for the
 * kind of the body instead.
 */
export function jsonChecks(json: unknown, mask: MaskValues): Condition[] {
  if (Array.isArray(json)) {
    return [{ type: "body_matches", name: "JSON list", pattern: "^\\s*\\[" }];
  }
  if (!isMap(json)) return [];
  const keys = Object.keys(json);
  const constant = keys.filter((key) => isConstantText(key, mask)).slice(0, MOST_KEYS);
  if (constant.length === 0) {
    return [{ type: "body_matches", name: "JSON object", pattern: "^\\s*\\{" }];
  }
  const tests = constant.map((key) => `$[${quoted(key)}]`);
  // `length` makes the check fail if the response has other members, such as `error`.
  if (constant.length === keys.length) tests.unshift(`length($) == ${keys.length}`);
  const flags = Object.entries(json).filter(([key, value]) =>
    typeof value === "boolean" && constant.includes(key)
  );
  return [
    {
      type: "jsonpath",
      name: `JSON members ${constant.join(", ")}`,
      expression: `$[?${tests.join(" && ")}]`,
    },
    ...flags.slice(0, MOST_FLAGS).map(([key, value]): Condition => ({
      type: "jsonpath",
      name: `JSON member ${key} is ${value}`,
      expression: `$[${quoted(key)}]`,
      equals: value as boolean,
    })),
  ];
}

/** Formats a name as a string literal in a JSONPath expression. */
function quoted(name: string): string {
  return `'${JSON.stringify(name).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
