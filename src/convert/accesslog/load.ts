import { formatMs } from "../../base/duration.ts";
import type { ScenarioOf } from "../../plan/schema/scenario.ts";
import type { Span, TrafficProfile } from "../../traffic/accesslog/traffic_profile.ts";
import type { Note } from "../notes.ts";
import { grouped } from "../../base/grouped.ts";
import { plural, rateText } from "../wording.ts";
import { curveOf, farthest, type RateCurve } from "./curve/rate_curve.ts";

/** How a plan's rate follows the log's. */
export interface LoadOptions {
  /** The most stages of a rate that follows the log's curve; absent for a constant rate. */
  readonly stages?: number;
  /** What the log's rate is multiplied by; 1 when absent. */
  readonly speed?: number;
  /** How long the plan takes, in seconds; as long as the log when absent. */
  readonly seconds?: number;
}

/** The number of stages unless the user says otherwise. */
export const CURVE_STAGES = 30;

/** When a scenario starts its iterations. */
export type Arrival =
  | Pick<ScenarioOf<"constant-arrival-rate">, "executor" | "rate" | "duration">
  | Pick<ScenarioOf<"ramping-arrival-rate">, "executor" | "start_rate" | "stages">;

/** The load of a plan: when it starts requests, the most a second, and what to warn of. */
export interface Load {
  readonly arrival: Arrival;
  /** The log's busiest second, at the plan's speed. */
  readonly peak: number;
  /** VUs that are busy in it at once, if every answer takes a second. */
  readonly vus: number;
  /** How the header says it, behind "at" or "along". */
  readonly words: string;
  readonly notes: readonly Note[];
}

/** What is started. */
export interface Iterations {
  /** How many for each request of the log. */
  readonly share: number;
  /** How long one takes beside its first request, in the mean. */
  readonly pauseSeconds: number;
  /** The scenario whose iterations they are, for the notes; `replayed_traffic` when absent. */
  readonly scenario?: string;
}

/** The load of a plan that repeats the log's; each iteration is one request unless told otherwise. */
export function loadOf(
  profile: TrafficProfile,
  span: Span,
  { stages, speed = 1, seconds }: LoadOptions,
  { share, pauseSeconds, scenario = "replayed_traffic" }: Iterations = {
    share: 1,
    pauseSeconds: 0,
  },
): Load {
  const peak = Math.ceil(span.peak * speed);
  const notes = seconds === undefined ? [] : [squeezed(span, seconds)];
  const scale = speed * share;
  const vus = Math.ceil(peak * share * (1 + pauseSeconds));
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
      notes: [averageRate(average, span, speed, scenario), ...notes],
    };
  }
  const curve = curveOf(profile, stages);
  return {
    arrival: ramping(curve, scale, (seconds ?? span.seconds) / span.seconds),
    peak,
    vus,
    words: `along ${times(speed)}the log's rate curve`,
    notes: [curveFit(profile, span, curve, speed, scenario), ...notes],
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

function times(speed: number): string {
  return speed === 1 ? "" : `${speed} times `;
}

function averageRate(average: number, span: Span, speed: number, scenario: string): Note {
  const given = speed === 1
    ? `the rate is the observed average, ${rateText(average)} req/s,`
    : `the rate is ${speed} times the observed average, ${rateText(average)} req/s,`;
  return {
    level: "note",
    code: "average-rate",
    subject: `scenarios.${scenario}.rate`,
    message:
      `${given} and the peak was ${grouped(span.peak)} req/s; for the worst case switch to ` +
      "ramping-arrival-rate up to the peak",
  };
}

function curveFit(
  profile: TrafficProfile,
  span: Span,
  curve: RateCurve,
  speed: number,
  scenario: string,
): Note {
  const off = 100 * farthest(profile, curve) / profile.requests;
  const stages = curve.times.length - 1;
  return {
    level: "note",
    code: "curve-fit",
    subject: `scenarios.${scenario}.stages`,
    message: `the rate follows ${times(speed)}the log's curve in ${plural(stages, "stage")}: the ` +
      `requests so far are never more than ${Number(off.toPrecision(2))} % of all away from the ` +
      `log's; its highest rate is ${rateText(speed * Math.max(...curve.rates))} req/s, and the ` +
      `log's busiest second had ${plural(span.peak, "request")} (--stages N follows closer)`,
  };
}

function squeezed(span: Span, seconds: number): Note {
  return {
    level: "note",
    code: "time-squeezed",
    subject: "--duration",
    message:
      `the log's ${formatMs(span.seconds * 1_000)} take ${formatMs(seconds * 1_000)} in the ` +
      "plan at the same rates, so it makes " +
      `${Number((seconds / span.seconds).toPrecision(3))} times the requests`,
  };
}
