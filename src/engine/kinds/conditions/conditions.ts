import { type PartsRead, READS_NOTHING } from "../../../extract/response_view.ts";
import type {
  CombinedCondition,
  Condition,
  ConditionKind,
  FlowCondition,
} from "../../../plan/kinds/conditions/conditions.ts";
import { ContentError } from "../../../http/content.ts";
import { parseCondition } from "../../../plan/text/template.ts";
import { compileExpression } from "../../flow/compile_expression.ts";
import { truth } from "../../flow/operators.ts";
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
import { xpath } from "./xpath_condition.ts";

/** Compiler for each kind of condition on a response. */
const CONDITIONS: { readonly [K in ConditionKind]: ConditionRuntime<K> } = {
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

/** Returns the parts of the response that a condition reads. */
export function partsRead(condition: FlowCondition): PartsRead {
  if (typeof condition === "string" || "var" in condition) return READS_NOTHING;
  if ("type" in condition) return CONDITIONS[condition.type].reads;
  const parts = partsOf(condition).map(partsRead);
  return {
    headers: parts.some(({ headers }) => headers),
    body: parts.some(({ body }) => body),
  };
}

function partsOf({ and = [], or = [], not }: CombinedCondition): readonly FlowCondition[] {
  return [...and, ...or, ...(not === undefined ? [] : [not])];
}

/** Compiles a condition on a response. The condition is false if the VU has no response. */
export function compileCondition(condition: Condition, scope: Scope): ConditionTest {
  const test = compileKind(condition.type, condition, scope);
  return (vu) => vu.received.response.status !== 0 && test(vu);
}

function compileKind<K extends ConditionKind>(kind: K, condition: ConditionOf<K>, scope: Scope) {
  return CONDITIONS[kind].compile(condition, scope);
}

function compileTest(condition: FlowCondition, scope: Scope): ConditionTest {
  if (typeof condition === "string") {
    const value = compileExpression(parseCondition(condition), scope);
    return (vu) => truth(value.render(vu));
  }
  if ("var" in condition) return compileVariable(condition, scope);
  if ("type" in condition) return compileCondition(condition, scope);
  const tests = partsOf(condition).map((part) => compileFlowCondition(part, scope));
  if (condition.not !== undefined) return (vu) => !tests[0](vu);
  return condition.and === undefined
    ? (vu) => tests.some((test) => test(vu))
    : (vu) => tests.every((test) => test(vu));
}

/**
 * Compiles the condition of an `if`, `while` or `retry` step. The condition tests the last response
 * or variables. It is false if it cannot be evaluated, for example because a variable is not set. A
 * body that cannot be decoded is also recorded as an error.
 */
export function compileFlowCondition(condition: FlowCondition, scope: Scope): ConditionTest {
  const test = compileTest(condition, scope);
  const report = scope.recorder.stepErrors(scope.scenario, "condition");
  return (vu) => {
    try {
      return test(vu);
    } catch (error) {
      if (error instanceof FlowEnd) throw error;
      if (error instanceof ContentError) report({ kind: "body", message: error.message });
      return false;
    }
  };
}
