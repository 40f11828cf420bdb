import type { Step, StepKind } from "../../../../plan/kinds/steps.ts";
import { kindsOf } from "../../../../plan/values/kinds_of.ts";
import type { FlowScope } from "../../flow/flow_scope.ts";
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
import type { StepValue, StepWriter } from "./step_writer.ts";
import { thinkTimeStep } from "./think_time.ts";
import { visits } from "./visits.ts";
import { wait } from "./wait.ts";
import { websocket } from "./websocket.ts";
import { whileStep } from "./while.ts";

/** Writer for each kind of step. */
const STEPS: { readonly [K in StepKind]: StepWriter<K> } = {
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
 * Returns the statements for a list of steps. Adds a blank line before and after the statements of
 * a step if they span several lines.
 */
export function stepsCode(steps: readonly Step[], scope: FlowScope): string {
  const written = steps.map((step) => {
    const kind = KINDS.find((kind) => step[kind] !== undefined)!;
    return writeStep(kind, step[kind]!, scope);
  }).filter((code) => code !== "");
  return written.map((code, i) => {
    const isApart = i > 0 && (code.includes("\n") || written[i - 1].includes("\n"));
    return isApart ? `\n${code}` : code;
  }).join("\n");
}

function writeStep<K extends StepKind>(kind: K, value: StepValue<K>, scope: FlowScope): string {
  return STEPS[kind].write(value, scope, stepsCode);
}
