import { formatMs } from "../../base/duration.ts";
import type { ScenarioOf } from "../../plan/schema/scenario.ts";
import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/traffic_profile.ts";
import type { Note } from "../note.ts";
import { formatThousands } from "../../base/format_thousands.ts";
import { plural } from "../../base/plural.ts";
import { percentText, rateText } from "../wording.ts";
import { farthest, fitRateCurve, type RateCurve } from "./curve/rate_curve.ts";
import { rateError } from "./curve/rate_error.ts";

/** How a plan's rate follows the log's. */
export interface LogLoadOptions {
  /** Maximum number of stages of a rate that follows the log's curve; a constant rate when absent. */
  readonly stages?: number;
  /** Factor on the log's rate; 1 when absent. */
  readonly speed?: number;
  /** How long the plan takes, in seconds; as long as the log when absent. */
  readonly seconds?: number;
  /** `kept` scales the rate to the share of the endpoints that the plan keeps. */
  readonly rate?: "kept";
}

/** The number of stages unless the user sets one. */
export const CURVE_STAGES = 30;

/** A curve that sends more than this share of its requests at a wrong rate needs an action. */
const MOST_AT_WRONG_RATE = 0.2;

/** When a scenario starts its iterations. */
export type Arrival =
  | Pick<ScenarioOf<"constant-arrival-rate">, "executor" | "rate" | "duration">
  | Pick<ScenarioOf<"ramping-arrival-rate">, "executor" | "start_rate" | "stages">;

/** The load of a plan. */
export interface Load {
  readonly arrival: Arrival;
  /** The busiest second of the log, in requests, at the plan's speed. */
  readonly peak: number;
  /** VUs that are busy in that second if every response takes a second. */
  readonly vus: number;
  /** The load in the words of the plan's header, after "in their mix,". */
  readonly words: string;
  readonly notes: readonly Note[];
}

/** The iterations that a load starts. */
export interface Iterations {
  /** Iterations per request of the log. */
  readonly share: number;
  /** Mean duration of an iteration after its first request, in seconds. */
  readonly pauseSeconds: number;
  /** The scenario's name; `replayed_traffic` when absent. */
  readonly scenario?: string;
  /** Share of the log's requests that the plan's endpoints have, for `rate: "kept"`; 1 when absent. */
  readonly coverage?: number;
}

/** Returns the load of a plan that repeats the log's. */
export function buildLoad(
  profile: TrafficProfile,
  span: TimeSpan,
  { stages, speed = 1, seconds, rate }: LogLoadOptions,
  { share, pauseSeconds, scenario = "replayed_traffic", coverage = 1 }: Iterations,
): Load {
  const kept = rate === "kept" ? coverage : 1;
  const peak = Math.ceil(span.peak * speed * kept);
  const scale = speed * share * kept;
  const factor = kept === 1 ? speed : Number((speed * kept).toPrecision(3));
  const vus = Math.ceil(peak * share * (1 + pauseSeconds));
  const squeeze = seconds === undefined ? [] : [squeezed(profile, span, seconds, factor)];
  if (stages === undefined) {
    const average = profile.requests / span.seconds;
    return {
      arrival: {
        executor: "constant-arrival-rate",
        rate: Number((average * scale).toPrecision(6)),
        duration: `${seconds ?? span.seconds}s`,
      },
      peak,
      vus,
      words: `at ${times(speed)}the log's average rate`,
      notes: [averageRate(average, span, speed, kept, scenario), ...squeeze],
    };
  }
  const curve = fitRateCurve(profile, stages);
  return {
    arrival: ramping(curve, scale, (seconds ?? span.seconds) / span.seconds),
    peak,
    vus,
    words: `along ${times(speed)}the log's rate curve`,
    notes: [curveFit(profile, span, curve, factor, scenario), ...squeeze],
  };
}

function ramping({ times, rates }: RateCurve, scale: number, stretch: number): Arrival {
  const targets = rates.map((rate) => Number((rate * scale).toPrecision(6)));
  const ends = times.map((time) => Math.round(time * stretch * 1_000));
  return {
    executor: "ramping-arrival-rate",
    start_rate: targets[0],
    stages: targets.slice(1).map((target, i) => ({
      duration: `${(ends[i + 1] - ends[i]) / 1_000}s`,
      target,
    })),
  };
}

/** Words for a factor before what it multiplies; empty for 1. */
export function times(factor: number): string {
  return factor === 1 ? "" : `${factor} times `;
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
    : `; it is scaled to the share of the kept endpoints, ${percentText(kept, 1)}`;
  const peak = average === span.peak
    ? "which is also the peak"
    : `and the peak was ${formatThousands(span.peak)} req/s; for the worst case switch to ` +
      "ramping-arrival-rate up to the peak";
  return {
    level: "note",
    code: "average-rate",
    subject: `scenarios.${scenario}.rate`,
    message: `the rate is ${times(speed)}the observed average, ${rateText(average)} req/s, ` +
      `${peak}${scaled}`,
  };
}

function curveFit(
  profile: TrafficProfile,
  span: TimeSpan,
  curve: RateCurve,
  speed: number,
  scenario: string,
): Note {
  const off = 100 * farthest(profile, curve) / profile.requests;
  const { share, periodSeconds } = rateError(profile, curve);
  const isWrong = share > MOST_AT_WRONG_RATE;
  const periods = periodSeconds === 60
    ? "minutes"
    : `periods of ${formatMs(periodSeconds * 1_000)}`;
  return {
    level: isWrong ? "warning" : "note",
    code: "curve-fit",
    subject: `scenarios.${scenario}.stages`,
    message: `the rate follows ${times(speed)}the log's curve in ` +
      `${plural(curve.times.length - 1, "stage")}: maximum deviation of the cumulative count ` +
      `${Number(off.toPrecision(2))} % of the requests; ${percentText(share, 1)} of the plan's ` +
      `requests are sent in ${periods} in which the log has less than half or more than twice ` +
      `that rate; the highest rate is ${rateText(speed * Math.max(...curve.rates))} req/s, and ` +
      `the log's busiest second had ${plural(span.peak, "request")} ` +
      (isWrong
        ? "(the curve smooths bursts away: raise --stages, or keep a shorter part of the log " +
          "with --since and --until)"
        : "(--stages N follows closer)"),
  };
}

function squeezed(
  { requests }: TrafficProfile,
  span: TimeSpan,
  seconds: number,
  speed: number,
): Note {
  const factor = speed * seconds / span.seconds;
  const compared = Number(factor.toPrecision(3));
  return {
    level: "note",
    code: "time-squeezed",
    subject: "--duration",
    message: `the plan takes ${formatMs(seconds * 1_000)} for the log's ` +
      `${formatMs(span.seconds * 1_000)}, at ${speed === 1 ? "the same" : `${speed} times its`} ` +
      `rates, so it makes ${plural(Math.round(requests * factor), "request")}, ` +
      (compared === 1 ? "as many as the log" : `${compared} times the log's`),
  };
}
