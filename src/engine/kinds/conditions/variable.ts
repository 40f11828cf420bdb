import { asText } from "../../../base/exact_json.ts";
import type {
  FlowCondition,
  VariableCondition,
} from "../../../plan/kinds/conditions/conditions.ts";
import { parseTemplate } from "../../../plan/text/template.ts";
import { FlowEnd, TemplateFault } from "../../vu/flow_end.ts";
import { compileExpression } from "../../flow/render.ts";
import type { Scope } from "../../flow/scope.ts";
import type { Vu } from "../../vu/vu.ts";
import { compileCondition, type ConditionTest } from "./compile_condition.ts";
import { sameJson } from "./same_json.ts";

/**
 * Compiles the condition of an `if`, `while` or `retry` step, which tests the last response or a
 * variable. A condition that cannot be evaluated is false, for example because a variable is not
 * set or the body cannot be decoded.
 */
export async function compileFlowCondition(
  condition: FlowCondition,
  scope: Scope,
): Promise<ConditionTest> {
  const test = "var" in condition
    ? variableTest(condition, scope)
    : await compileCondition(condition, scope);
  return (vu) => {
    try {
      return test(vu);
    } catch (error) {
      if (error instanceof FlowEnd) throw error;
      return false;
    }
  };
}

function variableTest(
  { var: name, equals, matches, exists }: VariableCondition,
  scope: Scope,
): ConditionTest {
  const [expression] = parseTemplate(`\${${name}}`);
  if (expression.kind === "text") return () => false;
  const value = compileExpression(expression, scope);
  const pattern = matches === undefined ? undefined : new RegExp(matches);
  return (vu) => {
    const now = valueOrUnset(value, vu);
    if (now === undefined) return exists === false;
    return exists !== false && (equals === undefined || sameJson(now, equals)) &&
      (pattern?.test(asText(now)) ?? true);
  };
}

function valueOrUnset(value: ReturnType<typeof compileExpression>, vu: Vu): unknown {
  if (typeof value !== "function") return value.fixed;
  try {
    return value(vu);
  } catch (error) {
    if (error instanceof TemplateFault) return undefined;
    throw error;
  }
}
