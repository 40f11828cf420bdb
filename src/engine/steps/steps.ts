import { durationMs } from "../../base/format.ts";
import { chooser } from "../../base/random.ts";
import { allParts, type PartsRead } from "../../extract/response_view.ts";
import { listSteps } from "../../plan/kinds/list_requests.ts";
import type { Step, StepKind } from "../../plan/kinds/steps.ts";
import { parseTemplate } from "../../plan/text/template.ts";
import { kindsOf } from "../../plan/values/schema_walk.ts";
import { compileExpression, compileValue } from "../flow/expressions.ts";
import {
  type CompileStep,
  type Scope,
  staticTags,
  type StepValue,
  variableIndex,
} from "../flow/scope.ts";
import { constant, metricValue, type Rendered } from "../flow/values.ts";
import { compileFlowCondition, partsRead } from "../kinds/conditions.ts";
import { TemplateFault } from "../vu/flow_end.ts";
import { type Op, sequence, type Vu } from "../vu/vu.ts";
import { compilePause, retry, visits } from "./control.ts";
import { compileRequest } from "./request.ts";
import { close, expect, send, wait, websocket } from "./websocket.ts";

const STEPS: { readonly [K in StepKind]: CompileStep<K> } = {
  request: compileRequest,
  think_time: compilePause,
  /**
   * `set` step: sets variables. If a value cannot be evaluated, records an error and unsets the
   * variable.
   */
  set(values, scope) {
    const ops = Object.entries(values).map(([name, value]) => ({
      value: compileValue(value, scope),
      index: variableIndex(scope, name),
      report: scope.recorder.stepErrors(scope.scenario, `set ${name}`),
    }));
    return (vu) => {
      for (const { value, index, report } of ops) {
        try {
          vu.variables[index] = value.render(vu);
        } catch (error) {
          if (!(error instanceof TemplateFault)) throw error;
          vu.variables[index] = undefined;
          report({ kind: "template", message: error.message });
        }
      }
    };
  },
  /**
   * `metric` step: records a value of a metric. If the value cannot be evaluated, records an error.
   */
  metric({ name, type, value = 1, tags }, scope) {
    const compiled = compileValue(value, scope);
    const record = scope.recorder.ownMetric(name, type, staticTags(scope, tags));
    const report = scope.recorder.stepErrors(scope.scenario, `metric ${name}`);
    return (vu) => {
      let fault: string | undefined;
      try {
        fault = record(metricValue(type, compiled.render(vu)));
      } catch (error) {
        if (!(error instanceof TemplateFault)) throw error;
        fault = error.message;
      }
      if (fault !== undefined) report({ kind: "template", message: fault });
    };
  },
  /**
   * `group` step: runs its steps, adds its name to their `group` tag, and records their total
   * duration if all of them have run.
   */
  group({ name, steps }, scope, compileSteps) {
    const inner = { ...scope, group: `${scope.group}::${name}` };
    const body = compileSteps(steps, inner);
    const record = scope.recorder.groupDuration(staticTags(inner));
    return async (vu, now) => {
      const start = now ?? vu.clock.now();
      await body(vu, now);
      record(vu.clock.now() - start);
    };
  },
  /**
   * `random` step: runs one of several lists of steps. With the `round_robin` strategy, the lists
   * take turns, and all VUs share one counter.
   */
  random({ strategy = "weighted", choices }, scope, compileSteps) {
    const ops = choices.map(({ steps }) => compileSteps(steps, scope));
    if (strategy === "round_robin") {
      let turn = 0;
      return (vu) => ops[turn++ % ops.length](vu);
    }
    const weights = choices.map(({ weight = 1 }) => strategy === "uniform" ? 1 : weight);
    if (!weights.some((weight) => weight > 0)) return () => {};
    const choose = chooser(weights);
    return (vu) => ops[choose(vu.random)](vu);
  },
  visits,
  repeat({ times, steps }, scope, compileSteps) {
    const body = compileSteps(steps, scope);
    return async (vu) => {
      for (let i = 0; i < times; i++) {
        await body(vu);
        if (vu.mustYield()) await vu.yieldToOthers();
      }
    };
  },
  /**
   * `foreach` step: runs its steps once for each item of a list. Does not run them if `items` is a
   * variable that is not set or is not a list.
   */
  foreach({ items, as, steps }, scope, compileSteps) {
    const list = compileItems(items, scope);
    const index = variableIndex(scope, as);
    const body = compileSteps(steps, scope);
    return async (vu) => {
      for (const item of listOrNone(list, vu)) {
        vu.variables[index] = item;
        await body(vu);
        if (vu.mustYield()) await vu.yieldToOthers();
      }
    };
  },
  if({ condition, then, else: otherwise }, scope, compileSteps) {
    const test = compileFlowCondition(condition, scope);
    const ifTrue = compileSteps(then, scope);
    const ifFalse = otherwise && compileSteps(otherwise, scope);
    return (vu) => test(vu) ? ifTrue(vu) : ifFalse?.(vu);
  },
  while({ condition, max_iterations = 10_000, steps }, scope, compileSteps) {
    const test = compileFlowCondition(condition, scope);
    const body = compileSteps(steps, scope);
    return async (vu) => {
      for (let i = 0; i < max_iterations && test(vu); i++) {
        await body(vu);
        if (vu.mustYield()) await vu.yieldToOthers();
      }
    };
  },
  /**
   * `during` step: repeats its steps for a set duration. When the time is up, completes the current
   * repetition.
   */
  during({ duration, steps }, scope, compileSteps) {
    const ms = durationMs(duration) ?? 0;
    const body = compileSteps(steps, scope);
    return async (vu) => {
      const end = vu.clock.now() + ms;
      while (vu.clock.now() < end) {
        const { waits } = vu;
        await body(vu);
        if (vu.waits === waits) await vu.yieldToOthers();
      }
    };
  },
  retry,
  /**
   * `parallel` step: runs several lists of steps at the same time. The lists share the variables
   * and cookies of the VU. The step ends when all lists have ended. If a list fails, the step
   * rejects with the error of that list.
   */
  parallel({ branches, max = branches.length }, scope, compileSteps) {
    const ops = branches.map((steps) => compileSteps(steps, { ...scope, isParallel: true }));
    return async (vu) => {
      const waiting = ops.values();
      const work = async () => {
        for (const op of waiting) await runBranch(op, vu);
      };
      const results = await Promise.allSettled(
        Array.from({ length: Math.min(max, ops.length) }, work),
      );
      for (const result of results) if (result.status === "rejected") throw result.reason;
    };
  },
  websocket,
  send,
  expect,
  wait,
  close,
};

const KINDS = kindsOf(STEPS);

/**
 * Compiles the flow of a scenario before the run starts, so that iterations do not read the plan.
 * Throws InputError if a constant is not defined, a file cannot be read or a URL is invalid.
 */
export function compileFlow(steps: readonly Step[], scope: Omit<Scope, "reads">): Op {
  return compileSteps(steps, { ...scope, reads: flowReads(steps) });
}

function compileSteps(steps: readonly Step[], scope: Scope): Op {
  return sequence(steps.map((step) => {
    const kind = kindOf(step);
    return compileStep(kind, step[kind]!, scope);
  }));
}

function compileStep<K extends StepKind>(kind: K, value: StepValue<K>, scope: Scope) {
  return STEPS[kind](value, scope, compileSteps);
}

function flowReads(steps: readonly Step[]): PartsRead {
  const conditions = [...listSteps(steps)].flatMap(({ if: choice, while: loop, retry }) => [
    choice?.condition,
    loop?.condition,
    retry?.until,
  ]);
  return allParts(conditions.filter((one) => one !== undefined).map(partsRead));
}

function kindOf(step: Step): StepKind {
  for (const kind of KINDS) if (step[kind] !== undefined) return kind;
  throw new TypeError("the plan was not checked: a step has no kind");
}

function compileItems(items: StepValue<"foreach">["items"], scope: Scope): Rendered<unknown> {
  if (typeof items !== "string") return constant(items);
  const [expression, ...more] = parseTemplate(items);
  if (more.length > 0 || expression.kind === "text") return constant([]);
  return compileExpression(expression, scope);
}

function listOrNone(items: Rendered<unknown>, vu: Vu): readonly unknown[] {
  try {
    const list = items.render(vu);
    return Array.isArray(list) ? list : [];
  } catch (error) {
    if (error instanceof TemplateFault) return [];
    throw error;
  }
}

async function runBranch(op: Op, vu: Vu): Promise<void> {
  const branch = vu.branch();
  try {
    await op(branch);
  } finally {
    vu.join(branch);
  }
}
