import { formatMs } from "../../../base/duration.ts";
import type {
  TimeSpan,
  TrafficProfile,
} from "../../../traffic/accesslog/profile/traffic_profile.ts";
import type { LogNote } from "../../notes/note.ts";
import { formatThousands, percentText, plural } from "../../../base/format.ts";
import { rateText, roundRate, times } from "../../notes/rate_text.ts";
import type { Arrival } from "./arrival.ts";
import { followCurve } from "./follow_curve.ts";

/** Options that determine how a plan's rate follows the rate of a log. */
export interface LogLoadOptions {
  /**
   * Maximum number of stages in the curve that follows the log's rate, or `auto` (see
   * `CurveOptions`). When absent, the rate is constant.
   */
  readonly stages?: number | "auto";
  /** Factor by which to multiply the log's rate. 1 when absent. */
  readonly speed?: number;
  /** Duration of the plan in seconds. When absent, the plan lasts as long as the log. */
  readonly seconds?: number;
  /**
   * `kept` multiplies the rate by the fraction of the log's requests that go to kept endpoints.
   * When absent, the kept endpoints get the full rate.
   */
  readonly rate?: "kept";
}

/** The load of a plan: its arrival rate and the number of VUs that it needs. */
export interface Load {
  readonly arrival: Arrival;
  /**
   * Peak rate in requests per second: the number of requests in the log's busiest second,
   * multiplied by the plan's rate factors.
   */
  readonly peak: number;
  /** Number of VUs needed to send `peak` requests per second if every response takes one second. */
  readonly vus: number;
  /** Description of the load for the plan's header, such as `at the log's average rate`. */
  readonly words: string;
  readonly notes: readonly LogNote[];
}

/** How the iterations of a plan relate to the requests of the log. */
export interface Iterations {
  /** Number of iterations started per request in the log, from 0 to 1. */
  readonly share: number;
  /** Mean time from the first response of an iteration to its end, in seconds. */
  readonly pauseSeconds: number;
  /** Name of the scenario. `replayed_traffic` when absent. */
  readonly scenario?: string;
  /**
   * Fraction of the log's requests that go to the kept endpoints, from 0 to 1. Used with `rate:
   * "kept"`. 1 when absent.
   */
  readonly coverage?: number;
}

/** Builds the load that reproduces the rate of a log, and the notes about it. */
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
        rate: roundRate(average * scale),
        duration: `${seconds ?? span.seconds}s`,
      },
      peak,
      vus,
      words: `at ${times(speed)}the log's average rate`,
      notes: [averageRate(average, span, speed, kept, scenario), ...squeeze],
    };
  }
  const { arrival, note } = followCurve(profile, span, {
    stages,
    scale,
    stretch: (seconds ?? span.seconds) / span.seconds,
    speed: factor,
    scenario,
  });
  return {
    arrival,
    peak,
    vus,
    words: `following ${times(speed)}the log's rate curve`,
    notes: [note, ...squeeze],
  };
}

function averageRate(
  average: number,
  span: TimeSpan,
  speed: number,
  kept: number,
  scenario: string,
): LogNote {
  const scaled = kept === 1
    ? ""
    : `; scaled to ${percentText(kept, 1)}, the kept endpoints' share of the requests`;
  const peak = average === span.peak
    ? ", which is also the peak"
    : `; the peak is ${formatThousands(span.peak)} req/s (use \`ramping-arrival-rate\` to test it)`;
  return {
    code: "average-rate",
    subject: `scenarios.${scenario}.rate`,
    message: `the rate is ${times(speed)}the log's average of ${rateText(average)} req/s` +
      `${peak}${scaled}`,
  };
}

function squeezed(
  { requests }: TrafficProfile,
  span: TimeSpan,
  seconds: number,
  speed: number,
): LogNote {
  const factor = speed * seconds / span.seconds;
  const compared = Number(factor.toPrecision(3));
  // The plan sends its first request at the start, so even a fraction of a request counts as one.
  const sentRequests = Math.ceil(Number((requests * factor).toPrecision(12)));
  return {
    code: "time-squeezed",
    subject: "--duration",
    message: `the plan runs for ${formatMs(seconds * 1_000)} instead of the log's ` +
      `${formatMs(span.seconds * 1_000)}, at ${times(speed)}the log's rate, so it sends ` +
      `${plural(sentRequests, "request")}, ` +
      (compared === 1 ? "as many as the log" : `${compared} times as many as the log`),
  };
}
