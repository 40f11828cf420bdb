import { rateCurve, type Scenario } from "./kinds/executors.ts";
import type { RatePoint } from "./kinds/scenario.ts";
import type { Step, StepKind } from "./kinds/steps.ts";

/** Number of requests that a flow sends per iteration, without redirects. */
export interface RequestRange {
  readonly min: number;
  /** Maximum number of requests. `Infinity` if the plan does not limit the number. */
  readonly max: number;
  /** Over many iterations. Undefined if it depends on responses. */
  readonly mean: number | undefined;
}

const NONE: RequestRange = { min: 0, max: 0, mean: 0 };
const ONE: RequestRange = { min: 1, max: 1, mean: 1 };
/** Maximum number of repetitions of a `while` step without `max_iterations`. */
const MAX_WHILE = 10_000;

/** Returns how many requests a list of steps sends. */
export function requestRange(steps: readonly Step[]): RequestRange {
  return steps.map(stepRange).reduce(sum, NONE);
}

function stepRange(step: Step): RequestRange {
  for (const kind in step) {
    const value = step[kind as StepKind];
    const range = RANGES[kind as StepKind] as (value: unknown) => RequestRange;
    if (value !== undefined) return range(value);
  }
  return NONE;
}

/** Functions that count the requests that each kind of step sends. */
const RANGES: {
  readonly [Kind in StepKind]: (value: NonNullable<Step[Kind]>) => RequestRange;
} = {
  request: () => ONE,
  think_time: () => NONE,
  set: () => NONE,
  metric: () => NONE,
  group: ({ steps }) => requestRange(steps),
  random: ({ strategy = "weighted", choices }) =>
    oneOf(
      choices.map(({ weight, steps }) => ({
        weight: strategy === "weighted" ? Number(weight ?? 1) : 1,
        range: requestRange(steps),
      })),
    ),
  visits: ({ mean_requests, requests }) => {
    const ranges = requests.map(({ steps }) => requestRange(steps));
    const max = Math.max(...ranges.map(({ max }) => max));
    return { min: 0, max: max === 0 ? 0 : Infinity, mean: max === 0 ? 0 : mean_requests };
  },
  repeat: ({ times, steps }) => repeated(requestRange(steps), times, times),
  foreach: ({ items, steps }) =>
    Array.isArray(items)
      ? repeated(requestRange(steps), items.length, items.length)
      : repeated(requestRange(steps), 0, Infinity),
  if: ({ then, else: other = [] }) => either(requestRange(then), requestRange(other)),
  while: ({ max_iterations = MAX_WHILE, steps }) =>
    repeated(requestRange(steps), 0, max_iterations),
  during: ({ steps }) => repeated(requestRange(steps), 1, Infinity),
  retry: ({ attempts, steps }) => repeated(requestRange(steps), 1, attempts),
  parallel: ({ branches }) => branches.map(requestRange).reduce(sum, NONE),
  // The handshake is a request.
  websocket: ({ steps }) => sum(ONE, requestRange(steps)),
  send: () => NONE,
  expect: () => NONE,
  wait: () => NONE,
  close: () => NONE,
};

function sum(a: RequestRange, b: RequestRange): RequestRange {
  return {
    min: a.min + b.min,
    max: a.max + b.max,
    mean: a.mean === undefined || b.mean === undefined ? undefined : a.mean + b.mean,
  };
}

function repeated({ min, max, mean }: RequestRange, least: number, most: number): RequestRange {
  const isKnown = least === most || max === 0;
  return {
    min: min * least,
    max: max === 0 ? 0 : max * most,
    mean: isKnown && mean !== undefined ? mean * least : undefined,
  };
}

function either(a: RequestRange, b: RequestRange): RequestRange {
  return {
    min: Math.min(a.min, b.min),
    max: Math.max(a.max, b.max),
    mean: a.mean === b.mean ? a.mean : undefined,
  };
}

function oneOf(
  choices: readonly { readonly weight: number; readonly range: RequestRange }[],
): RequestRange {
  const possible = choices.filter(({ weight }) => weight > 0);
  const total = possible.reduce((all, { weight }) => all + weight, 0);
  const isKnown = possible.every(({ range }) => range.mean !== undefined);
  return {
    min: Math.min(...possible.map(({ range }) => range.min)),
    max: Math.max(...possible.map(({ range }) => range.max)),
    mean: isKnown
      ? possible.reduce((all, { weight, range }) => all + weight / total * range.mean!, 0)
      : undefined,
  };
}

/**
 * Of a scenario that starts `startMs` after the run; times in seconds of the run. Empty for a
 * closed model.
 */
export function timedCurve(scenario: Scenario, startMs: number): RatePoint[] {
  return rateCurve(scenario).map(({ seconds, rate }) => ({
    // Rounded to microseconds, so that one curve ends exactly where the next one starts.
    seconds: Math.round(startMs * 1_000 + seconds * 1_000_000) / 1_000_000,
    rate,
  }));
}

/** Iterations that the curve starts, maybe fractional. */
export function curveArea(curve: readonly RatePoint[]): number {
  return curve.slice(1).reduce(
    (sum, { seconds, rate }, i) => sum + (seconds - curve[i].seconds) * (rate + curve[i].rate) / 2,
    0,
  );
}

/** A rate curve, and the number of requests that each of its iterations sends on average. */
export interface WeightedCurve {
  readonly curve: readonly RatePoint[];
  readonly each: number;
}

/** Highest sum per second. The end of a curve counts as 0: another scenario may start then. */
export function peakRate(curves: readonly WeightedCurve[]): number {
  // The sum of linear ramps is highest just before or just after the start or end of a ramp.
  const times = new Set(curves.flatMap(({ curve }) => curve.map(({ seconds }) => seconds)));
  const sum = (rate: (curve: readonly RatePoint[], at: number) => number, at: number) =>
    curves.reduce((sum, { curve, each }) => sum + each * rate(curve, at), 0);
  return Math.max(0, ...[...times].flatMap((at) => [sum(rateBefore, at), sum(rateFrom, at)]));
}

/**
 * Returns the rate of a curve at the time `at`, in seconds. At a step, returns the rate after the
 * step. The rate is 0 before the curve starts, and at and after its end.
 */
function rateFrom(curve: readonly RatePoint[], at: number): number {
  const next = curve.findLastIndex(({ seconds }) => seconds <= at) + 1;
  return between(curve, next, at);
}

function rateBefore(curve: readonly RatePoint[], at: number): number {
  const next = curve.findIndex(({ seconds }) => seconds >= at);
  return between(curve, next, at);
}

/**
 * Returns the rate at time `at`, in seconds, in the ramp that ends at `curve[next]`. Returns 0 if
 * no ramp ends there.
 */
function between(curve: readonly RatePoint[], next: number, at: number): number {
  if (next <= 0 || next >= curve.length) return 0;
  const [from, to] = [curve[next - 1], curve[next]];
  return from.rate + (at - from.seconds) / (to.seconds - from.seconds) * (to.rate - from.rate);
}
