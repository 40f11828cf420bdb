import { InputError } from "../../../base/errors.ts";
import { formatMs, formatThousands, percentText, plural } from "../../../base/format.ts";
import { ARRIVALS_HEADER, type ScenarioOf } from "../../../plan/kinds/executors.ts";
import { MAX_RATE, MAX_VUS } from "../../../plan/kinds/scenario.ts";
import {
  busiestWindow,
  type TimeSpan,
  type TrafficProfile,
} from "../../../traffic/accesslog/profile/traffic_profile.ts";
import { type Note, rateText, times } from "../../notes/notes.ts";
import { findRateCurve, fitRateCurve } from "./curve_within.ts";
import {
  maximumDeviation,
  mergeStages,
  type RateCurve,
  type RateError,
  rateError,
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

/** Options that determine how a plan's rate follows the rate of a log. */
export interface LogLoadOptions {
  /** Most stages, or `auto` (see `CurveOptions`). Without it and `arrivals`, a constant rate. */
  readonly stages?: number | "auto";
  readonly arrivals?: string;
  readonly speed?: number;
  readonly squeeze?: number;
  /** Duration of the plan. By default, as long as the log. */
  readonly seconds?: number;
  /** `kept`: the fraction of the log's requests to kept endpoints. By default, the full rate. */
  readonly rate?: "kept";
}

/** The load of a plan: its arrival rate and the number of VUs that it needs. */
export interface Load {
  readonly arrival: Arrival;
  readonly arrivalsCsv?: string;
  /** Requests in the log's busiest second or, if its rate or duration is changed, highest rate. */
  readonly peak: number;
  /** Enough for `peak` requests per second if responses take one second, at most `MAX_VUS`. */
  readonly vus: number;
  readonly words: string;
  readonly notes: readonly Note[];
}

export interface Starts {
  readonly count: number;
  /** Calls `visit` for each second that has starts, in Unix seconds, ascending. */
  forEachSecond(visit: (second: number, count: number) => void): void;
  /** Absent if the log has only whole seconds. */
  forEachTime?(visit: (second: number, count: number) => void): void;
  /** Most iterations at the same time if all times are divided. */
  mostAtOnce(squeeze: number): number;
}

export interface Iterations {
  /** Iterations per request in the log, 0 to 1. */
  readonly share: number;
  /** From the first response to the end of an iteration. */
  readonly pauseSeconds: number;
  readonly scenario?: string;
  /** Fraction of the log's requests to kept endpoints. 1 when absent. */
  readonly coverage?: number;
  readonly starts?: Starts;
}

/** Builds the load that reproduces the rate of a log, and the notes about it. */
export function reproduceRate(
  profile: TrafficProfile,
  span: TimeSpan,
  { stages, arrivals, speed = 1, squeeze = 1, seconds, rate }: LogLoadOptions,
  { share, pauseSeconds, scenario = "replayed_traffic", coverage = 1, starts }: Iterations,
): Load {
  const kept = rate === "kept" ? coverage : 1;
  const factor = kept === 1 ? speed : Number((speed * kept).toPrecision(3));
  const scale = speed * share * kept * squeeze;
  const planned = (seconds ?? span.seconds) / squeeze;
  const average = profile.requests / span.seconds;
  const notes = [
    ...(seconds === undefined ? [] : [durationSet(profile, span, seconds, factor)]),
    ...(squeeze === 1 ? [] : [squeezed(span, squeeze)]),
  ];
  const loadOf = (arrival: Arrival, words: string, note: readonly Note[]): Load => {
    const isChanged = speed !== 1 || squeeze !== 1 || seconds !== undefined;
    const highest = highestRate(arrival) / share;
    const peak = Math.ceil(isChanged ? highest : span.peak * kept);
    if (highestRate(arrival) > MAX_RATE) {
      const rate = rateText(highestRate(arrival));
      const limit = `the limit of ${formatThousands(MAX_RATE)} per second`;
      throw new InputError(`the plan's rate of ${rate} req/s exceeds ${limit}`, {
        source: "access log",
      });
    }
    const needed = starts === undefined
      ? Math.max(1, Math.ceil(peak * share * (1 + pauseSeconds / squeeze)))
      : Math.ceil(Math.max(speed * starts.mostAtOnce(squeeze), highestRate(arrival)));
    const vus = Math.min(needed, MAX_VUS);
    const limited = vus < needed ? [vusLimited(needed, scenario)] : [];
    return { arrival, peak, vus, words, notes: [...note, ...notes, ...limited] };
  };
  if (arrivals !== undefined) {
    const busiest = busiestWindow(starts ?? profile, Math.max(1, Math.round(squeeze)))!.requests;
    const arrival: Arrival = {
      executor: "recorded-arrivals",
      path: arrivals,
      rate: roundRate(average * scale),
      peak_rate: roundRate(Math.max(busiest * speed * kept, average * scale)),
      ...(squeeze !== 1 && { squeeze }),
      duration: `${planned}s`,
    };
    return {
      ...loadOf(
        arrival,
        speed === 1 ? "at the log's own times" : `at the log's own times, ${speed} times as often`,
        [],
      ),
      arrivalsCsv: arrivalsOf(starts ?? profile, span),
    };
  }
  if (stages === undefined) {
    const arrival: Arrival = {
      executor: "constant-arrival-rate",
      rate: roundRate(average * scale),
      duration: `${planned}s`,
    };
    const note = averageRate(average, span, speed * squeeze, kept, scenario);
    return loadOf(arrival, `at ${times(speed)}the log's average rate`, [note]);
  }
  const { arrival, note } = followCurve(profile, span, {
    stages,
    scale,
    stretch: planned / span.seconds,
    speed: factor * squeeze,
    scenario,
  });
  return loadOf(arrival, `following ${times(speed)}the log's rate curve`, [note]);
}

function vusLimited(needed: number, scenario: string): Note {
  return {
    code: "vus-limited",
    subject: `scenarios.${scenario}.max_vus`,
    message: `the log's peak needs about ${formatThousands(needed)} VUs, but a ` +
      `scenario has at most ${formatThousands(MAX_VUS)}`,
  };
}

function arrivalsOf(
  starts: Pick<Starts, "forEachSecond" | "forEachTime">,
  { first, seconds }: TimeSpan,
): string {
  const rows = [ARRIVALS_HEADER];
  let last = 0;
  const add = (textOf: (time: number) => string) => (second: number, count: number) => {
    last = Math.floor(second) - first;
    rows.push(`${textOf(second - first)},${count}`);
  };
  if (starts.forEachTime) starts.forEachTime(add((time) => time.toFixed(3)));
  else starts.forEachSecond(add(String));
  // The last row ends the recorded time.
  if (last < seconds - 1) rows.push(`${seconds - 1},0`);
  return `${rows.join("\n")}\n`;
}

function averageRate(
  average: number,
  span: TimeSpan,
  speed: number,
  kept: number,
  scenario: string,
): Note {
  const scaled = kept === 1
    ? ""
    : `; scaled to ${percentText(kept, 1)}, the kept endpoints' share of the requests`;
  const peak = average === span.peak
    ? ", which is also the peak"
    : `; ${speed === 1 ? "the" : `${times(speed)}the log's`} peak is ${
      speed === 1 ? formatThousands(span.peak) : rateText(speed * span.peak)
    } req/s (use \`ramping-arrival-rate\` to test it)`;
  const { level, advice } = peakAdvice(average, span.peak);
  return {
    level,
    code: "average-rate",
    subject: `scenarios.${scenario}.rate`,
    message: `the rate is ${times(speed)}the log's average of ${rateText(average)} req/s` +
      `${peak}${advice}${scaled}`,
  };
}

function squeezed({ seconds }: TimeSpan, squeeze: number): Note {
  return {
    code: "time-squeezed",
    subject: "--squeeze",
    message: `the plan sends the log's ${formatMs(seconds * 1_000)} in ` +
      `${formatMs(seconds / squeeze * 1_000)}: all rates are ${times(squeeze)}as high`,
  };
}

function durationSet(
  { requests }: TrafficProfile,
  span: TimeSpan,
  seconds: number,
  speed: number,
): Note {
  const factor = speed * seconds / span.seconds;
  const compared = Number(factor.toPrecision(3));
  // The plan sends its first request at the start, so even a fraction of a request counts as one.
  const sentRequests = Math.ceil(Number((requests * factor).toPrecision(12)));
  return {
    code: "duration-set",
    subject: "--duration",
    message: `the plan runs for ${formatMs(seconds * 1_000)} instead of the log's ` +
      `${formatMs(span.seconds * 1_000)}, at ${times(speed)}the log's rate, so it sends ` +
      `${plural(sentRequests, "request")}, ` +
      (compared === 1 ? "as many as the log" : `${compared} times as many as the log`),
  };
}

function highestRate(arrival: Arrival): number {
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
function peakAdvice(
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

/** Such as `minutes` or `periods of 15m`. */
function periodsText(seconds: number): string {
  return seconds === 60 ? "minutes" : `periods of ${formatMs(seconds * 1_000)}`;
}
