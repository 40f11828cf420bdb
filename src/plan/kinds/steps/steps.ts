import * as z from "zod";
import { exactlyOne } from "../../values/rule.ts";
import { kindsOf } from "../../values/kinds_of.ts";
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
import type { StepVariant } from "./step.ts";
import { thinkTimeStep } from "./think_time.ts";
import { visits } from "./visits.ts";
import { wait } from "./wait.ts";
import { websocket } from "./websocket.ts";
import { whileStep } from "./while.ts";

// Steps contain steps. The interfaces make the types recursive, and the function makes the schemas
// recursive.
interface StepList extends Array<Step> {}
interface FlowSchema extends z.ZodType<StepList> {}
const nested = (): FlowSchema => flow;

/** All kinds of steps, by their key in the plan. The docs list them in this order. */
export const STEPS = {
  request,
  think_time: thinkTimeStep,
  set,
  metric,
  group: group(nested),
  random: random(nested),
  visits: visits(nested),
  repeat: repeat(nested),
  foreach: foreach(nested),
  if: ifStep(nested),
  while: whileStep(nested),
  during: during(nested),
  retry: retry(nested),
  parallel: parallel(nested),
  websocket: websocket(nested),
  send,
  expect,
  wait,
  close,
} satisfies Readonly<Record<string, StepVariant>>;

export type StepKind = keyof typeof STEPS;

/** A step: a map with exactly one key, the kind of the step. */
export type Step = { [Kind in StepKind]?: z.infer<(typeof STEPS)[Kind]["schema"]> };

const kinds = kindsOf(STEPS);

const stepSchema = z.strictObject(
  Object.fromEntries(kinds.map((kind) => {
    const { schema, description }: StepVariant = STEPS[kind];
    return [kind, schema.optional().describe(description)];
  })),
).meta({ id: "step" });

/** The schema of a step: a map with exactly one key, the kind of the step. */
export const step = exactlyOne(stepSchema, ...kinds) as z.ZodType as z.ZodType<Step>;

/** The schema of a flow: the steps of one iteration, run in order. */
export const flow: FlowSchema = z.array(step).min(1).describe("Steps, run in order");
