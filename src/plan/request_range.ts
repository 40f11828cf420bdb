import type { Step, StepKind } from "./kinds/steps/steps.ts";

/** Number of requests that a flow sends per iteration, without redirects. */
export interface RequestRange {
  readonly min: number;
  /** Maximum number of requests. `Infinity` if the plan does not limit the number. */
  readonly max: number;
  /**
   * Average number of requests over many iterations. Undefined if the number depends on responses.
   */
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
    if (value !== undefined) return rangeOf(kind as StepKind, value);
  }
  return NONE;
}

/** Functions that return how many requests each kind of step sends. */
const RANGES: { readonly [Kind in StepKind]: (value: NonNullable<Step[Kind]>) => RequestRange } = {
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

function rangeOf<Kind extends StepKind>(kind: Kind, value: NonNullable<Step[Kind]>): RequestRange {
  return RANGES[kind](value);
}

function sum(a: RequestRange, b: RequestRange): RequestRange {
  return {
    min: a.min + b.min,
    max: a.max + b.max,
    mean: a.mean === undefined || b.mean === undefined ? undefined : a.mean + b.mean,
  };
}

/**
 * Returns the number of requests that steps send if they are repeated at least `least` and at most
 * `most` times.
 */
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
