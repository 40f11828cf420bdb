import { formatMs, percentText, plural } from "../../../base/format.ts";
import type { ScenarioOf } from "../../../plan/kinds/executors.ts";
import type {
  TimeSpan,
  TrafficProfile,
} from "../../../traffic/accesslog/profile/traffic_profile.ts";
import { type Note, rateText, times } from "../../notes/notes.ts";
import type { RateCurve } from "./curve_within.ts";
import {
  areaReader,
  findRateCurve,
  fitRateCurve,
  maximumDeviation,
  mergeStages,
  roundRate,
} from "./rate_curve.ts";

/** The executor, and the keys that set the rate and the duration. */
export type Arrival =
  | Pick<ScenarioOf<"constant-arrival-rate">, "executor" | "rate" | "duration">
  | Pick<ScenarioOf<"ramping-arrival-rate">, "executor" | "start_rate" | "stages">
  | Pick<
    ScenarioOf<"recorded-arrivals">,
    "executor" | "path" | "rate" | "peak_rate" | "squeeze" | "duration"
  >;

export function highestRate(arrival: Arrival): number {
  switch (arrival.executor) {
    case "constant-arrival-rate":
      return arrival.rate;
    case "recorded-arrivals":
      return arrival.peak_rate ?? arrival.rate;
    case "ramping-arrival-rate":
      return Math.max(arrival.start_rate ?? 0, ...arrival.stages.map(({ target }) => target));
  }
}

const MOST_ABOVE = 2;

/** Level of a note on a plan's highest rate, and advice. Both are per second. */
export function peakAdvice(
  highest: number,
  peak: number,
): { level: "info" | "warning"; advice: string } {
  // At any rate, some second has a request.
  return peak > MOST_ABOVE * Math.max(1, highest)
    ? { level: "warning", advice: "; `--shape exact` replays the log's own bursts" }
    : { level: "info", advice: "" };
}

/** Above this fraction of requests far from the log's rate, `curve-fit` is a warning. */
const MOST_AT_WRONG_RATE = 0.2;
const HOUR = 3_600;
const FEW_STAGES = 30;
const MOST_STAGES = 480;
/** Fractions of the requests, in this order. A larger deviation needs fewer stages. */
const AUTO_DEVIATIONS = [1 / 100, 1 / 200, 1 / 400, 1 / 800, 1 / 1_600];

export interface CurveOptions {
  /** `auto`: until at most 20% of the requests are far from the log's rate, at most 480. */
  readonly stages: number | "auto";
  readonly scale: number;
  readonly stretch: number;
  readonly speed: number;
  readonly scenario: string;
}

/** Fits a curve of linear stages, and notes its deviation from the log. */
export function followCurve(
  profile: TrafficProfile,
  span: TimeSpan,
  options: CurveOptions,
): { arrival: Arrival; note: Note } {
  const { stages, scenario } = options;
  const isAuto = stages === "auto";
  const fit = fitted(profile, isAuto ? FEW_STAGES : stages);
  // The note suggests `auto` only if it helps.
  const closest = findClosestFit(profile, fit);
  const used = isAuto ? closest : fit;
  const advice = isClose(used)
    ? ""
    : isClose(closest)
    ? " (the curve smooths out bursts; `--stages auto` follows them)"
    : ` (found no curve of at most ${MOST_STAGES} stages that follows the bursts of this log` +
      `${span.seconds > HOUR ? ": keep its busiest part with `--busiest 1h`" : ""})`;
  const arrival = ramping(used.curve, options);
  const highest = Math.max(...used.curve.rates);
  const peak = peakAdvice(highest, span.peak);
  const note: Note = {
    level: isClose(used) ? peak.level : "warning",
    code: "curve-fit",
    subject: `scenarios.${scenario}.stages`,
    message: describeFit(profile, span, used, arrival, options) + advice + peak.advice,
  };
  return { arrival, note };
}

type Ramping = Extract<Arrival, { executor: "ramping-arrival-rate" }>;

interface Fit {
  readonly curve: RateCurve;
  readonly error: RateError;
}

function fitted(profile: TrafficProfile, stages: number): Fit {
  const curve = fitRateCurve(profile, stages);
  return { curve, error: rateError(profile, curve) };
}

function isClose({ error }: Fit): boolean {
  return error.share <= MOST_AT_WRONG_RATE;
}

/** Tries `AUTO_DEVIATIONS` until a curve is close enough. Else, returns the closest one. */
function findClosestFit(profile: TrafficProfile, fit: Fit): Fit {
  let best = fit;
  for (const deviation of AUTO_DEVIATIONS) {
    if (isClose(best)) break;
    const curve = findRateCurve(profile, MOST_STAGES, deviation * profile.requests);
    if (curve === undefined) continue;
    const error = rateError(profile, curve);
    if (error.share < best.error.share) best = { curve, error };
  }
  return best;
}

function ramping({ times, rates }: RateCurve, { scale, stretch }: CurveOptions): Ramping {
  // Whole milliseconds, or microseconds if `--duration` makes the stages much shorter.
  const perSecond = stretch < 1 / 10 ? 1_000_000 : 1_000;
  const last = times.length - 1;
  const end = Math.max(1, Math.round(times[last] * stretch * perSecond));
  // Stages that are still shorter end at the same time.
  const { times: ends, rates: targets } = mergeStages({
    times: times.map((time, i) =>
      i === last ? end : Math.min(end, Math.round(time * stretch * perSecond))
    ),
    rates: rates.map((rate) => roundRate(rate * scale)),
  });
  return {
    executor: "ramping-arrival-rate",
    start_rate: targets[0],
    stages: targets.slice(1).map((target, i) => ({
      duration: `${(ends[i + 1] - ends[i]) / perSecond}s`,
      target,
    })),
  };
}

function describeFit(
  profile: TrafficProfile,
  span: TimeSpan,
  { curve, error: { share, periodSeconds } }: Fit,
  { start_rate: start = 0, stages }: Ramping,
  { speed, scale }: CurveOptions,
): string {
  const highest = Math.max(start, ...stages.map(({ target }) => target)) * speed / scale;
  const off = 100 * maximumDeviation(profile, curve) / profile.requests;
  return `the rate follows ${times(speed)}the log's rate in ` +
    `${plural(stages.length, "stage")}; cumulative requests deviate by at most ` +
    `${Number(off.toPrecision(2))}% of the total; ${percentText(share, 1)} of the plan's ` +
    `requests are sent in ${
      periodsText(periodSeconds)
    } in which the log's rate is less than half or more than ` +
    `twice the plan's; the highest rate is ${rateText(highest)} req/s, and ` +
    `${times(speed)}the log's peak is ${rateText(speed * span.peak)} req/s`;
}

interface RateError {
  /** Fraction of the curve's requests in periods where its rate is far from the log's. */
  readonly share: number;
  readonly periodSeconds: number;
}

/**
 * Counts the curve's requests in periods where the log has less than half or more than twice as
 * many. A period is a minute, or longer if counts per minute would be mostly random.
 */
function rateError(profile: TrafficProfile, curve: RateCurve): RateError {
  const span = profile.span()!;
  const { first, seconds } = span;
  const periodSeconds = chooseRatePeriod(profile, span);
  const logged = new Map<number, number>();
  profile.forEachSecond((second, requests) => {
    const period = Math.floor((second - first) / periodSeconds);
    logged.set(period, (logged.get(period) ?? 0) + requests);
  });
  const areaAt = areaReader(curve);
  let wrong = 0;
  let before = 0;
  let end = 0;
  const advance = (time: number, requests: number) => {
    const area = areaAt(time);
    const planned = area - before;
    if (requests < planned / 2 || requests > planned * 2) wrong += planned;
    [before, end] = [area, time];
  };
  for (const [period, requests] of logged) {
    const start = period * periodSeconds;
    // Empty periods are alike.
    if (start > end) advance(start, 0);
    advance(Math.min(seconds, start + periodSeconds), requests);
  }
  return { share: wrong / before, periodSeconds };
}

const REQUESTS_PER_PERIOD = 10;

/** A multiple of a minute, with a mean of ten requests. */
function chooseRatePeriod({ requests }: TrafficProfile, { seconds }: TimeSpan): number {
  return 60 * Math.max(1, Math.ceil(REQUESTS_PER_PERIOD * seconds / requests / 60));
}

/** Such as `minutes` or `periods of 15m`. */
function periodsText(seconds: number): string {
  return seconds === 60 ? "minutes" : `periods of ${formatMs(seconds * 1_000)}`;
}
