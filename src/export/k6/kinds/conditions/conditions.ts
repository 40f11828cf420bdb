import type { Condition, ConditionKind } from "../../../../plan/kinds/conditions.ts";
import type { FlowCondition } from "../../../../plan/kinds/flow_conditions.ts";
import { parseCondition } from "../../../../plan/text/template.ts";
import { expressionCode } from "../../flow/expression_code.ts";
import { asCondition, optional } from "../../flow/js_value.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";
import { bodyContains } from "./body_contains.ts";
import { bodyMatches } from "./body_matches.ts";
import type { ConditionOf, ConditionWriter } from "./condition_writer.ts";
import { css } from "./css_condition.ts";
import { duration } from "./duration.ts";
import { header } from "./header_condition.ts";
import { jsonpath } from "./jsonpath_condition.ts";
import { size } from "./size.ts";
import { status } from "./status.ts";
import { variableCode } from "./variable.ts";
import { xpath } from "./xpath_condition.ts";

/** Writer for each kind of condition on a response. */
const CONDITIONS: { readonly [K in ConditionKind]: ConditionWriter<K> } = {
  status,
  body_contains: bodyContains,
  body_matches: bodyMatches,
  jsonpath,
  css,
  xpath,
  duration,
  size,
  header,
};

/**
 * Returns JavaScript code that tests a condition on the response in the variable `response`.
 * Returns undefined if k6 cannot test the condition. `consequence` states in a warning what the
 * script then does, such as "the script omits the check".
 */
export function conditionCode(
  condition: Condition,
  response: string,
  scope: FlowScope,
  consequence: string,
): string | undefined {
  scope.consequence = consequence;
  return writeKind(condition.type, condition, response, scope);
}

function writeKind<K extends ConditionKind>(
  kind: K,
  condition: ConditionOf<K>,
  response: string,
  scope: FlowScope,
) {
  return CONDITIONS[kind].write(condition, response, scope);
}

/** Returns JavaScript code that tests the condition of an `if`, `while` or `retry` step. */
export function flowConditionCode(condition: FlowCondition, scope: FlowScope): string {
  if (typeof condition === "string") {
    const value = expressionCode(parseCondition(condition), scope);
    if (value.needs.length === 0 && !value.fails) return asCondition(value, scope);
    const test = optional(value, scope);
    return value.type === "boolean" ? test : `${scope.script.use("truthy")}(${test})`;
  }
  if ("var" in condition) return variableCode(condition, scope);
  if ("type" in condition) {
    scope.usesResponse = true;
    const consequence = "the script treats the condition of the step as false";
    return conditionCode(condition, "res", scope, consequence) ?? "false";
  }
  if (condition.not !== undefined) return `!(${flowConditionCode(condition.not, scope)})`;
  const [parts, sign] = condition.and === undefined
    ? [condition.or ?? [], " || "]
    : [condition.and, " && "];
  return parts.map((part) => `(${flowConditionCode(part, scope)})`).join(sign);
}
