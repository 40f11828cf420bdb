import { type PartsRead, READS_NOTHING } from "../../../extract/response_view.ts";
import type {
  Condition,
  ConditionKind,
  FlowCondition,
} from "../../../plan/kinds/conditions/conditions.ts";
import type { Scope } from "../../flow/scope.ts";
import { FlowEnd } from "../../vu/flow_end.ts";
import { bodyContains } from "./body_contains.ts";
import { bodyMatches } from "./body_matches.ts";
import type { ConditionOf, ConditionRuntime, ConditionTest } from "./condition_runtime.ts";
import { css } from "./css_condition.ts";
import { duration } from "./duration.ts";
import { header } from "./header_condition.ts";
import { jsonpath } from "./jsonpath_condition.ts";
import { size } from "./size.ts";
import { status } from "./status.ts";
import { compileVariable } from "./variable.ts";

/** Compiler for each kind of condition on a response. */
const CONDITIONS: { readonly [K in ConditionKind]: ConditionRuntime<K> } = {
  status,
  body_contains: bodyContains,
  body_matches: bodyMatches,
  jsonpath,
  css,
  duration,
  size,
  header,
};

/** Returns the parts of the response that a condition reads. */
export function partsRead(condition: FlowCondition): PartsRead {
  return "var" in condition ? READS_NOTHING : CONDITIONS[condition.type].reads;
}

/** Compiles a condition on a response. The condition is false if the VU has no response. */
export async function compileCondition(condition: Condition, scope: Scope): Promise<ConditionTest> {
  const test = await compileKind(condition.type, condition, scope);
  return (vu) => vu.received.response.status !== 0 && test(vu);
}

function compileKind<K extends ConditionKind>(kind: K, condition: ConditionOf<K>, scope: Scope) {
  return CONDITIONS[kind].compile(condition, scope);
}

/**
 * Compiles the condition of an `if`, `while` or `retry` step, which tests the last response or a
 * variable. The condition is false if it cannot be evaluated, for example because a variable is not
 * set or the body cannot be decoded.
 */
export async function compileFlowCondition(
  condition: FlowCondition,
  scope: Scope,
): Promise<ConditionTest> {
  const test = "var" in condition
    ? compileVariable(condition, scope)
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
