import type { Step } from "../../../plan/kinds/steps/steps.ts";
import { compileIf, compileRandom } from "./branches.ts";
import {
  compileDuring,
  compileForeach,
  compileRepeat,
  compileRetry,
  compileWhile,
} from "./loops.ts";
import { type Op, sequence } from "../../vu/op.ts";
import { compileParallel } from "./parallel.ts";
import { compileRequest } from "./request.ts";
import type { Scope } from "../../flow/scope.ts";
import { compilePause } from "./think_time.ts";

/**
 * Compiles the steps of a flow before the start, so that iterations do not read the plan. Throws
 * InputError if a constant or file is missing, or if a URL is invalid.
 */
export async function compileFlow(steps: readonly Step[], scope: Scope): Promise<Op> {
  const ops: Op[] = [];
  // Sequential, because variables are numbered in the order of the plan.
  for (const step of steps) ops.push(await compileStep(step, scope));
  return sequence(ops);
}

function compileStep(step: Step, scope: Scope): Op | Promise<Op> {
  if (step.request) return compileRequest(step.request, scope);
  if (step.think_time !== undefined) return compilePause(step.think_time);
  if (step.group) {
    return compileFlow(step.group.steps, { ...scope, group: `${scope.group}::${step.group.name}` });
  }
  if (step.random) return compileRandom(step.random, scope, compileFlow);
  if (step.repeat) return compileRepeat(step.repeat, scope, compileFlow);
  if (step.foreach) return compileForeach(step.foreach, scope, compileFlow);
  if (step.if) return compileIf(step.if, scope, compileFlow);
  if (step.while) return compileWhile(step.while, scope, compileFlow);
  if (step.during) return compileDuring(step.during, scope, compileFlow);
  if (step.retry) return compileRetry(step.retry, scope, compileFlow);
  if (step.parallel) return compileParallel(step.parallel, scope, compileFlow);
  throw new TypeError("a step without a kind: the plan was not checked");
}
