import { durationMs } from "../../../base/duration.ts";
import { compileFlowCondition } from "../conditions/variable.ts";
import type { Step } from "../../../plan/kinds/steps/steps.ts";
import { parseTemplate } from "../../../plan/text/template.ts";
import { TemplateFault } from "../../vu/flow_end.ts";
import type { CompileSteps } from "./compile_steps.ts";
import type { Op } from "../../vu/op.ts";
import { compileExpression } from "../../flow/render.ts";
import { type Scope, variableIndex } from "../../flow/scope.ts";
import { pauseUntil, yieldToOthers } from "./think_time.ts";
import type { Vu } from "../../vu/vu.ts";

/** Compiles a `repeat` step, which runs its steps a fixed number of times. */
export async function compileRepeat(
  { times, steps }: NonNullable<Step["repeat"]>,
  scope: Scope,
  compile: CompileSteps,
): Promise<Op> {
  const body = await compile(steps, scope);
  return async (vu) => {
    for (let i = 0; i < times; i++) {
      await body(vu);
      if (mustYield(vu)) await yieldToOthers(vu);
    }
  };
}

/**
 * Compiles a `foreach` step, which runs its steps once for each item of a list. If `items` is a
 * variable that is not set or is not a list, the steps do not run.
 */
export async function compileForeach(
  { items, as, steps }: NonNullable<Step["foreach"]>,
  scope: Scope,
  compile: CompileSteps,
): Promise<Op> {
  const list = compileItems(items, scope);
  const index = variableIndex(scope, as);
  const body = await compile(steps, scope);
  return async (vu) => {
    for (const item of list(vu)) {
      vu.variables[index] = item;
      await body(vu);
      if (mustYield(vu)) await yieldToOthers(vu);
    }
  };
}

/**
 * Compiles a `while` step, which runs its steps as long as a condition is true, at most
 * `max_iterations` times.
 */
export async function compileWhile(
  { condition, max_iterations = 10_000, steps }: NonNullable<Step["while"]>,
  scope: Scope,
  compile: CompileSteps,
): Promise<Op> {
  const test = await compileFlowCondition(condition, scope);
  const body = await compile(steps, scope);
  return async (vu) => {
    for (let i = 0; i < max_iterations && test(vu); i++) {
      await body(vu);
      if (mustYield(vu)) await yieldToOthers(vu);
    }
  };
}

/**
 * Compiles a `during` step, which repeats its steps for a duration. A round in progress at the end
 * is completed.
 */
export async function compileDuring(
  { duration, steps }: NonNullable<Step["during"]>,
  scope: Scope,
  compile: CompileSteps,
): Promise<Op> {
  const ms = durationMs(duration) ?? 0;
  const body = await compile(steps, scope);
  return async (vu) => {
    const end = vu.clock.now() + ms;
    while (vu.clock.now() < end) {
      vu.yielded = false;
      await body(vu);
      if (!vu.yielded) await yieldToOthers(vu);
    }
  };
}

/**
 * Compiles a `retry` step. It runs its steps, then tests a condition, and repeats both until the
 * condition is true or the maximum number of attempts is reached.
 */
export async function compileRetry(
  { attempts, backoff = 0, until, steps }: NonNullable<Step["retry"]>,
  scope: Scope,
  compile: CompileSteps,
): Promise<Op> {
  const ms = durationMs(backoff) ?? 0;
  const test = await compileFlowCondition(until, scope);
  const body = await compile(steps, scope);
  return async (vu) => {
    for (let attempt = 1;; attempt++) {
      await body(vu);
      if (attempt >= attempts || test(vu)) return;
      if (ms > 0) await pauseUntil(vu, vu.clock.now() + ms);
      else if (mustYield(vu)) await yieldToOthers(vu);
    }
  };
}

/** Number of loop rounds without waiting after which a VU yields: about one millisecond of work. */
const ROUNDS_WITHOUT_WAIT = 1_000;

/**
 * Counts one round of a loop and reports whether the VU must yield now. Otherwise a loop that never
 * waits would block timers and signals.
 */
function mustYield(vu: Vu): boolean {
  return ++vu.roundsSinceWait >= ROUNDS_WITHOUT_WAIT;
}

function compileItems(items: NonNullable<Step["foreach"]>["items"], scope: Scope) {
  if (typeof items !== "string") return () => items;
  const [expression, ...more] = parseTemplate(items);
  if (more.length > 0 || expression.kind === "text") return () => [];
  const value = compileExpression(expression, scope);
  return (vu: Vu): readonly unknown[] => {
    try {
      const list = typeof value === "function" ? value(vu) : value.fixed;
      return Array.isArray(list) ? list : [];
    } catch (error) {
      if (error instanceof TemplateFault) return [];
      throw error;
    }
  };
}
