import { durationMs, plural } from "../../base/format.ts";
import type { Scope } from "../flow/scope.ts";
import { compileFlowCondition, type ConditionTest } from "../kinds/conditions.ts";
import type { CompileSteps, StepRuntime, StepValue } from "./step_runtime.ts";
import { UnsetVariable } from "../vu/flow_end.ts";
import { type Op, sequence } from "../vu/op.ts";
import type { Vu } from "../vu/vu.ts";
import type { FlowCondition } from "../../plan/kinds/conditions.ts";
import { conditionName } from "../../plan/kinds/request.ts";
import type { Step } from "../../plan/kinds/steps.ts";

/**
 * `retry` step: runs its steps, then tests a condition. Repeats both until the condition is true or
 * the maximum number of attempts is reached. Ends early if the last request needs a variable that
 * is not set and that further attempts cannot set. With `required`, the last request of the last
 * attempt fails if the condition is still false.
 */
export const retry: StepRuntime<"retry"> = {
  compile(step, scope, compileSteps) {
    const { attempts, backoff = 0, until } = step;
    const ms = durationMs(backoff) ?? 0;
    const test = compileFlowCondition(until, scope);
    const atLast = new Set<Vu>();
    const assigned = new Set<number>();
    const inner = { ...scope, assigned: [...scope.assigned, assigned] };
    const body = compileBody(step, inner, compileSteps, (vu) => !atLast.has(vu) || test(vu));
    const cannotSend = finalFaultTest(step, [assigned, ...scope.concurrent]);
    return async (vu) => {
      for (let attempt = 1;; attempt++) {
        vu.unsent = undefined;
        if (attempt < attempts) await body(vu);
        else {
          atLast.add(vu);
          try {
            await body(vu);
          } finally {
            atLast.delete(vu);
          }
          return;
        }
        if (test(vu) || cannotSend(vu)) return;
        if (ms > 0) await vu.pauseUntil(vu.clock.now() + ms);
        else if (vu.mustYield()) await vu.yieldToOthers();
      }
    };
  },
  conditions: ({ until }) => [until],
  lists: ({ steps }) => [steps],
};

/**
 * Returns a function that reports whether the last request of an attempt could not be built because
 * a variable is not set and later attempts cannot set it. `assigned` contains the indexes of the
 * variables that can be set during the attempts.
 */
function finalFaultTest(
  { until, steps }: StepValue<"retry">,
  assigned: readonly ReadonlySet<number>[],
): (vu: Vu) => boolean {
  // Otherwise, another attempt may end with another request.
  if (!endWithRequest(steps)) return () => false;
  const testsResponse = typeof until === "object" && "type" in until;
  return ({ unsent, variables }) => {
    if (!(unsent instanceof UnsetVariable)) return false;
    const { index } = unsent;
    if (index === undefined || variables[index] !== undefined) return false;
    if (assigned.some((indexes) => indexes.has(index))) return false;
    // Otherwise, the condition may test a variable that another step of the attempt sets.
    return testsResponse || assigned.every(({ size }) => size === 0);
  };
}

/** Reports whether the last step is a request, or a group that ends with a request. */
function endWithRequest(steps: readonly Step[]): boolean {
  const last = steps.at(-1);
  return last?.request !== undefined ||
    last?.group !== undefined && endWithRequest(last.group.steps);
}

/**
 * Compiles the steps of an attempt. If the `retry` step is `required`, its last step, a request,
 * fails if `test` returns false.
 */
function compileBody(
  { attempts, until, required, steps }: StepValue<"retry">,
  scope: Scope,
  compileSteps: CompileSteps,
  test: ConditionTest,
): Op {
  if (!required) return compileSteps(steps, scope);
  const name = `\`${flowConditionName(until)}\` is false after ${plural(attempts, "attempt")}`;
  const last = compileSteps(steps.slice(-1), { ...scope, required: { name, test } });
  if (steps.length === 1) return last;
  return sequence([compileSteps(steps.slice(0, -1), scope), last]);
}

function flowConditionName(condition: FlowCondition): string {
  if (typeof condition === "string") return condition;
  return "type" in condition ? conditionName(condition) : "until";
}
