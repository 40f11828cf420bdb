import { InputError } from "../../../base/errors.ts";
import { formatMs, formatThousands, percentText, plural } from "../../../base/format.ts";
import { ARRIVALS_HEADER } from "../../../plan/kinds/executors.ts";
import { MAX_RATE, MAX_VUS } from "../../../plan/kinds/scenario.ts";
import {
  busiestWindow,
  type TimeSpan,
  type TrafficProfile,
} from "../../../traffic/accesslog/profile/traffic_profile.ts";
import { type Note, rateText, times } from "../../notes/notes.ts";
import { roundRate } from "./rate_curve.ts";
import { type Arrival, followCurve, highestRate, peakAdvice } from "./follow_curve.ts";

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
