import { compileFlowCondition } from "../conditions/variable.ts";
import type { Step } from "../../../plan/kinds/steps/steps.ts";
import { chooser } from "../../../base/chooser.ts";
import type { CompileSteps } from "./compile_steps.ts";
import type { Op } from "../../vu/op.ts";
import type { Scope } from "../../flow/scope.ts";

/**
 * Compiles a `random` step, which runs one of several lists of steps. With the strategy
 * `round_robin`, all VUs share one counter.
 */
export async function compileRandom(
  { strategy = "weighted", choices }: NonNullable<Step["random"]>,
  scope: Scope,
  compile: CompileSteps,
): Promise<Op> {
  const ops = await Promise.all(choices.map(({ steps }) => compile(steps, scope)));
  if (strategy === "round_robin") {
    let turn = 0;
    return (vu) => ops[turn++ % ops.length](vu);
  }
  const weights = choices.map(({ weight = 1 }) => strategy === "uniform" ? 1 : weight);
  if (!weights.some((weight) => weight > 0)) return () => {};
  const choose = chooser(weights);
  return (vu) => ops[choose(vu.random)](vu);
}

/**
 * Compiles an `if` step, which runs one list of steps if a condition is true, otherwise another
 * list, if there is one.
 */
export async function compileIf(
  branch: NonNullable<Step["if"]>,
  scope: Scope,
  compile: CompileSteps,
): Promise<Op> {
  const test = await compileFlowCondition(branch.condition, scope);
  const then = await compile(branch.then, scope);
  const otherwise = branch.else && await compile(branch.else, scope);
  return (vu) => test(vu) ? then(vu) : otherwise?.(vu);
}
