import { rateCurve, type Scenario } from "./kinds/executors.ts";
import type { RatePoint } from "./kinds/scenario.ts";

/**
 * Returns the rate curve of a scenario that starts `startMs` milliseconds after the start of the
 * run. The times in the curve are in seconds after the start of the run. Returns an empty list for
 * a closed model.
 */
export function timedCurve(scenario: Scenario, startMs: number): RatePoint[] {
  return rateCurve(scenario).map(({ seconds, rate }) => ({
    // Rounded to microseconds, so that one curve ends exactly where the next one starts.
    seconds: Math.round(startMs * 1_000 + seconds * 1_000_000) / 1_000_000,
    rate,
  }));
}

/**
 * Returns the number of iterations that a rate curve starts: the area under the curve. The number
 * may be fractional.
 */
export function curveArea(curve: readonly RatePoint[]): number {
  return curve.slice(1).reduce(
    (sum, { seconds, rate }, i) => sum + (seconds - curve[i].seconds) * (rate + curve[i].rate) / 2,
    0,
  );
}

/**
 * Returns the part of a rate curve between the times `from` and `to`, in seconds. At a step, the
 * part has the rate after the step if it starts there, and the rate before the step if it ends
 * there. Returns an empty list if the curve does not overlap this period.
 */
export function curveWithin(curve: readonly RatePoint[], from: number, to: number): RatePoint[] {
  const start = Math.max(from, curve[0]?.seconds ?? Infinity);
  const end = Math.min(to, curve.at(-1)?.seconds ?? -Infinity);
  if (start >= end) return [];
  return [
    { seconds: start, rate: rateFrom(curve, start) },
    ...curve.filter(({ seconds }) => seconds > start && seconds < end),
    { seconds: end, rate: rateBefore(curve, end) },
  ];
}

/** A rate curve, and the number of requests that each of its iterations sends on average. */
export interface WeightedCurve {
  readonly curve: readonly RatePoint[];
  readonly each: number;
}

/**
 * Returns the highest sum of the request rates of several curves, in requests per second. The rate
 * at the end of a curve counts as 0, because another scenario may start at that time.
 */
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
export function rateFrom(curve: readonly RatePoint[], at: number): number {
  const next = curve.findLastIndex(({ seconds }) => seconds <= at) + 1;
  return between(curve, next, at);
}

/**
 * Returns the rate of a curve immediately before the time `at`. The rate is 0 until the start of
 * the curve and after its end.
 */
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
