import { asText } from "../../../base/exact_json.ts";
import type { VariableCondition } from "../../../plan/kinds/conditions/variable.ts";
import { parseTemplate } from "../../../plan/text/template.ts";
import type { Rendered } from "../../flow/rendered.ts";
import type { Scope } from "../../flow/scope.ts";
import { compileExpression } from "../../flow/compile_expression.ts";
import { TemplateFault } from "../../vu/flow_end.ts";
import type { Vu } from "../../vu/vu.ts";
import { compileComparison } from "./comparison.ts";
import type { ConditionTest } from "./condition_runtime.ts";
import { sameJson } from "../../flow/operators.ts";

/** Compiles a condition on a variable. Unlike all other conditions, it does not need a response. */
export function compileVariable(
  { var: name, equals, matches, exists, ...limits }: VariableCondition,
  scope: Scope,
): ConditionTest {
  const [expression] = parseTemplate(`\${${name}}`);
  if (expression.kind === "text") return () => false;
  const value = compileExpression(expression, scope);
  const compare = compileComparison(limits);
  const pattern = matches === undefined ? undefined : new RegExp(matches);
  return (vu) => {
    const now = valueOrUnset(value, vu);
    if (now === undefined) return exists === false;
    return exists !== false && (equals === undefined || sameJson(now, equals)) &&
      (pattern?.test(asText(now)) ?? true) && (compare?.(now) ?? true);
  };
}

function valueOrUnset(value: Rendered<unknown>, vu: Vu): unknown {
  try {
    return value.render(vu);
  } catch (error) {
    if (error instanceof TemplateFault) return undefined;
    throw error;
  }
}
