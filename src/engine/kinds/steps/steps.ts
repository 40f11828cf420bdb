import type { Step, StepKind } from "../../../plan/kinds/steps/steps.ts";
import type { PartsRead } from "../../../extract/response_view.ts";
import { kindsOf } from "../../../plan/values/kinds_of.ts";
import type { Scope } from "../../flow/scope.ts";
import { type Op, sequence } from "../../vu/op.ts";
import { partsRead } from "../conditions.ts";
import { close } from "./close.ts";
import { during } from "./during.ts";
import { expect } from "./expect.ts";
import { foreach } from "./foreach.ts";
import { group } from "./group.ts";
import { ifStep } from "./if.ts";
import { metric } from "./record_metric.ts";
import { parallel } from "./parallel.ts";
import { random } from "./random.ts";
import { repeat } from "./repeat.ts";
import { request } from "./request.ts";
import { retry } from "./retry.ts";
import { send } from "./send.ts";
import { set } from "./set.ts";
import type { StepRuntime, StepValue } from "./step_runtime.ts";
import { thinkTimeStep } from "./think_time.ts";
import { visits } from "./visits.ts";
import { wait } from "./wait.ts";
import { websocket } from "./websocket.ts";
import { whileStep } from "./while.ts";

/** Compiler for each kind of step. */
const STEPS: { readonly [K in StepKind]: StepRuntime<K> } = {
  request,
  think_time: thinkTimeStep,
  set,
  metric,
  group,
  random,
  visits,
  repeat,
  foreach,
  if: ifStep,
  while: whileStep,
  during,
  retry,
  parallel,
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
  return STEPS[kind].compile(value, scope, compileSteps);
}

/** Returns the parts of responses that the conditions of `steps` and of their nested steps read. */
function flowReads(steps: readonly Step[]): PartsRead {
  const reads = { headers: false, body: false };
  for (const step of steps) {
    const kind = kindOf(step);
    const { conditions, lists } = partsOf(kind, step[kind]!);
    for (const { headers, body } of [...conditions.map(partsRead), ...lists.map(flowReads)]) {
      reads.headers ||= headers;
      reads.body ||= body;
    }
  }
  return reads;
}

function partsOf<K extends StepKind>(kind: K, value: StepValue<K>) {
  return { conditions: STEPS[kind].conditions(value), lists: stepLists(kind, value) };
}

/**
 * Returns the lists of steps that a step of kind `kind` itself contains, without the lists of
 * nested steps.
 */
export function stepLists<K extends StepKind>(
  kind: K,
  value: StepValue<K>,
): readonly (readonly Step[])[] {
  return STEPS[kind].lists(value);
}

function kindOf(step: Step): StepKind {
  for (const kind of KINDS) if (step[kind] !== undefined) return kind;
  throw new TypeError("the plan was not checked: a step has no kind");
}
