import type { TrafficProfile } from "../../../traffic/accesslog/traffic_profile.ts";
import { cumulativeOf } from "./cumulative.ts";
import { fitCurve } from "./fit_curve.ts";

/** A rate over time: at each time in seconds, from 0 on, a rate per second; straight lines between. */
export interface RateCurve {
  readonly times: readonly number[];
  readonly rates: readonly number[];
}

/** A curve with at most `stages` straight pieces whose area is the log's total of requests. */
export function curveOf(profile: TrafficProfile, stages: number): RateCurve {
  const cumulative = cumulativeOf(profile);
  const fit = fitCurve(cumulative, stages);
  const times = fit.knots.map((knot) => cumulative.times[knot]);
  const scale = profile.requests / area(times, [...fit.rates]);
  const rates = [...fit.rates].map((rate) => Number((rate * scale).toPrecision(6)));
  // A quiet time is one stage.
  const isTurn = (_: number, i: number) =>
    !(rates[i - 1] === 0 && rates[i] === 0 && rates[i + 1] === 0);
  return { times: times.filter(isTurn), rates: rates.filter(isTurn) };
}

/** The farthest that the curve's area ever is from the requests of the log so far, in requests. */
export function farthest(profile: TrafficProfile, curve: RateCurve): number {
  const { first, seconds } = profile.span()!;
  let most = 0;
  let sum = 0;
  const compare = (time: number) => {
    most = Math.max(most, Math.abs(areaUntil(curve, time) - sum));
  };
  for (const { start, counts } of profile.secondRuns()) {
    counts.forEach((count, i) => {
      compare(start + i - first);
      sum += count;
    });
  }
  compare(seconds);
  return most;
}

/** Requests that the curve makes before `time`. */
export function areaUntil({ times, rates }: RateCurve, time: number): number {
  let sum = 0;
  for (let i = 1; i < times.length && times[i - 1] < time; i++) {
    const length = Math.min(time, times[i]) - times[i - 1];
    const slope = (rates[i] - rates[i - 1]) / (times[i] - times[i - 1]);
    sum += length * (rates[i - 1] + slope * length / 2);
  }
  return sum;
}

function area(times: readonly number[], rates: readonly number[]): number {
  return areaUntil({ times, rates }, times.at(-1)!);
}
