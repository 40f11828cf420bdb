import { UnsetVariable } from "../vu/flow_end.ts";
import { type Op, type Place, type Row, sequence, type Vu } from "../vu/vu.ts";
import { InputError } from "../../base/errors.ts";
import { durationMs, plural } from "../../base/format.ts";
import type { Random } from "../../base/random.ts";
import { listSteps } from "../../plan/kinds/list_requests.ts";
import type { FlowCondition } from "../../plan/kinds/conditions.ts";
import { conditionName } from "../../plan/kinds/request.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import type { ThinkTime } from "../../plan/values/values.ts";
import type { CompileStep, CompileSteps, Scope, StepValue } from "../flow/scope.ts";
import { compileFlowCondition, type ConditionTest } from "../kinds/conditions.ts";

export function compilePause(thinkTime: ThinkTime): (vu: Vu) => Promise<void> {
  const draw = drawMs(thinkTime);
  return (vu) => vu.pause(draw(vu.random));
}

function drawMs(thinkTime: ThinkTime): (random: Random) => number {
  if (typeof thinkTime !== "object") {
    const ms = toMs(thinkTime);
    return () => ms;
  }
  switch (thinkTime.type) {
    case "constant":
      return drawMs(thinkTime.duration);
    case "uniform": {
      const [min, max] = [toMs(thinkTime.min), toMs(thinkTime.max)];
      return (random) => min + (max - min) * random.next();
    }
    case "gaussian": {
      const [mean, deviation] = [toMs(thinkTime.mean), toMs(thinkTime.std_dev)];
      return (random) => Math.max(0, mean + deviation * random.gaussian());
    }
  }
}

function toMs(duration: string | number): number {
  return durationMs(duration) ?? 0;
}

/**
 * `retry` step: runs its steps, then tests a condition. Repeats both until the condition is true or
 * the maximum number of attempts is reached. Ends early if the last request needs a variable that
 * is not set and that further attempts cannot set. With `required`, the last request of the last
 * attempt fails if the condition is still false.
 */
export const retry: CompileStep<"retry"> = (step, scope, compileSteps): Op => {
  const { attempts, backoff = 0, until } = step;
  const ms = durationMs(backoff) ?? 0;
  const test = compileFlowCondition(until, scope);
  const atLast = new Set<Vu>();
  const body = compileBody(step, scope, compileSteps, (vu) => !atLast.has(vu) || test(vu));
  const cannotSend = finalFaultTest(step, scope);
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
};

/** Returns a function that reports whether later attempts cannot set a missing variable. */
function finalFaultTest(
  { until, steps }: StepValue<"retry">,
  { isParallel }: Scope,
): (vu: Vu) => boolean {
  // Otherwise, another attempt may end with another request, or another branch set the variable.
  if (!endWithRequest(steps) || isParallel) return () => false;
  const assigned = assignedNames(steps);
  const testsResponse = typeof until === "object" && "type" in until;
  // Otherwise, the condition may test a variable that another step of the attempt sets.
  if (!testsResponse && assigned.size > 0) return () => false;
  return ({ unsent }) =>
    unsent instanceof UnsetVariable && unsent.variable !== undefined &&
    !assigned.has(unsent.variable);
}

function assignedNames(steps: readonly Step[]): Set<string> {
  return new Set([...listSteps(steps)].flatMap(({ set = {}, foreach, request, expect }) => [
    ...Object.keys(set),
    ...(foreach ? [foreach.as] : []),
    ...[...request?.extract ?? [], ...expect?.extract ?? []].map(({ name }) => name),
  ]));
}

function endWithRequest(steps: readonly Step[]): boolean {
  const last = steps.at(-1);
  return last?.request !== undefined ||
    last?.group !== undefined && endWithRequest(last.group.steps);
}

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

/** `visits` step: replays the recorded visit at the iteration's place in the schedule. */
export const visits: CompileStep<"visits"> = (
  { data, max_pause, requests },
  scope,
  compileSteps,
): Op => {
  const { index, rows } = scope.sources.get(data)!;
  const numbers = new Map(requests.map(({ name }, i) => [name, i]));
  const ops = requests.map(({ steps }) => compileSteps(steps, scope));
  const { starts, places, times } = readVisits(rows, numbers, {
    source: data,
    maxSeconds: max_pause === undefined ? Infinity : durationMs(max_pause)! / 1_000,
  });
  const count = starts.length - 1;
  return async (vu) => {
    const visit = vu.place === undefined ? vu.random.int(0, count - 1) : visitAt(vu.place, count);
    const startedAt = vu.clock.now();
    for (let i = starts[visit]; i < starts[visit + 1]; i++) {
      const time = startedAt + times[i];
      if (time > vu.clock.now()) await vu.pauseUntil(time);
      vu.rows[index] = rows[i];
      await ops[places[i]](vu);
    }
  };
};

/** Number of consecutive visits that the starts at their place take in turn. */
const TURN = 32;
const EPSILON = 1e-6;

/**
 * Returns the index of the visit, of `count`, that starts at a place in the schedule. If there are
 * more starts than visits, every visit is used equally often, and consecutive starts use different
 * visits: copies that start together would send their requests together.
 */
function visitAt({ index, of }: Place, count: number): number {
  const nearest = Math.min(count - 1, Math.floor(index / of * count + EPSILON));
  if (of <= count) return nearest;
  const first = nearest - nearest % TURN;
  const before = Math.ceil(first * of / count - EPSILON);
  const turn = Math.max(0, Math.floor(index + EPSILON) - before);
  return first + turn % Math.min(TURN, count - first);
}

interface Visits {
  readonly starts: readonly number[];
  readonly places: Uint32Array;
  /** For each row, the time after the start of the visit, in milliseconds. */
  readonly times: Float64Array;
}

function readVisits(
  rows: readonly Row[],
  numbers: ReadonlyMap<string, number>,
  { source, maxSeconds }: { readonly source: string; readonly maxSeconds: number },
): Visits {
  const starts: number[] = [];
  const places = new Uint32Array(rows.length);
  const times = new Float64Array(rows.length);
  for (const [i, { start = "", pause, request }] of rows.entries()) {
    const isFirst = start !== "";
    if (isFirst) starts.push(i);
    const seconds = isFirst ? 0 : Number(pause);
    const number = numbers.get(String(request));
    if (starts.length === 0 || !(seconds >= 0) || number === undefined) {
      const why = starts.length === 0
        ? "the first row has no `start`"
        : number === undefined
        ? `\`requests\` has no entry for ${JSON.stringify(request)}`
        : `\`pause\` is ${JSON.stringify(pause)}, expected a number of seconds`;
      const message = `cannot replay the visits in row ${i + 1} of \`data.${source}\`: ${why}`;
      throw new InputError(message, { source: "data" });
    }
    places[i] = number;
    times[i] = isFirst ? 0 : times[i - 1] + 1_000 * Math.min(seconds, maxSeconds);
  }
  starts.push(rows.length);
  return { starts, places, times };
}
