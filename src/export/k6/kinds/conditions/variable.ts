import type { VariableCondition } from "../../../../plan/kinds/flow_conditions.ts";
import { parseTemplate } from "../../../../plan/text/template.ts";
import { expressionCode } from "../../flow/expression_code.ts";
import { optional } from "../../flow/js_value.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";
import { dataCode } from "../../flow/rows.ts";
import { patternLiteral } from "../../js/literal.ts";
import { allOf, comparisonCodes } from "./condition_writer.ts";

/** Returns JavaScript code that tests a condition on a variable. */
export function variableCode(
  { var: name, equals, matches, exists, ...limits }: VariableCondition,
  scope: FlowScope,
): string {
  const { script } = scope;
  const [expression] = parseTemplate(`\${${name}}`);
  if (expression.kind === "text") return "false";
  const value = expressionCode(expression, scope);
  const code = optional(value, scope);
  if (exists === false) return `${code} === undefined`;
  const tests = [
    ...(equals === undefined
      ? []
      : [`${script.use("same")}(${code}, ${dataCode(equals, script)})`]),
    ...(matches === undefined
      ? []
      : [`${code} !== undefined`, `${patternLiteral(matches)}.test(${code})`]),
    ...comparisonCodes(`${script.use("numeric")}(${code})`, limits),
  ];
  return tests.length === 0 ? `${code} !== undefined` : allOf(tests);
}
