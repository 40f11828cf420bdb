import { formatMs } from "../../../base/duration.ts";
import { percentText, plural } from "../../../base/format.ts";
import type {
  TimeSpan,
  TrafficProfile,
} from "../../../traffic/accesslog/profile/traffic_profile.ts";
import type { LogNote } from "../../notes/note.ts";
import { rateText, times } from "../../notes/rate_text.ts";
import type { Arrival } from "./arrival.ts";
import type { RateCurve } from "./curve_within.ts";
import { fitRateCurve, maximumDeviation } from "./rate_curve.ts";
import { type RateError, rateError } from "./rate_error.ts";

/**
 * Threshold above which `curve-fit` is a warning: the fraction of requests that the plan sends at a
 * rate far from the log's rate.
 */
const MOST_AT_WRONG_RATE = 0.2;
/** Maximum numbers of stages that `auto` tries, in this order. */
const AUTO_STAGES = [30, 60, 120, 240];

/** Options of a scenario that follows the rate curve of a log. */
export interface CurveOptions {
  /**
   * Maximum number of stages. `auto` uses as many as are needed to send at most 20% of the requests at
   * a rate far from the log's rate, but at most 240.
   */
  readonly stages: number | "auto";
  /** Ratio of the scenario's arrival rate to the log's rate. */
  readonly scale: number;
  /** Ratio of the scenario's duration to the log's duration. */
  readonly stretch: number;
  /** Ratio of the plan's request rate to the log's rate, as reported in the note. */
  readonly speed: number;
  /** Name of the scenario, which is the subject of the note. */
  readonly scenario: string;
}

/**
 * Fits a curve of linear stages to the rate of a log. Returns the arrival rate that follows the curve,
 * and a note on the curve's deviation from the log.
 */
export function followCurve(
  profile: TrafficProfile,
  span: TimeSpan,
  options: CurveOptions,
): { arrival: Arrival; note: LogNote } {
  const fit = options.stages === "auto" ? closestFit(profile) : fitted(profile, options.stages);
  return { arrival: ramping(fit.curve, options), note: curveFit(profile, span, fit, options) };
}

/** A curve and how far its rate is from the log's rate. */
interface Fit {
  readonly curve: RateCurve;
  readonly error: RateError;
}

function fitted(profile: TrafficProfile, stages: number): Fit {
  const curve = fitRateCurve(profile, stages);
  return { curve, error: rateError(profile, curve) };
}

/** Returns the first curve that follows the log closely, or else the closest one. */
function closestFit(profile: TrafficProfile): Fit {
  const fits: Fit[] = [];
  for (const stages of AUTO_STAGES) {
    const fit = fitted(profile, stages);
    fits.push(fit);
    if (fit.error.share <= MOST_AT_WRONG_RATE) return fit;
  }
  return fits.reduce((best, fit) => fit.error.share < best.error.share ? fit : best);
}

function ramping({ times, rates }: RateCurve, { scale, stretch }: CurveOptions): Arrival {
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

function curveFit(
  profile: TrafficProfile,
  span: TimeSpan,
  { curve, error: { share, periodSeconds } }: Fit,
  { speed, scenario, stages }: CurveOptions,
): LogNote {
  const off = 100 * maximumDeviation(profile, curve) / profile.requests;
  const isWrong = share > MOST_AT_WRONG_RATE;
  const periods = periodSeconds === 60
    ? "minutes"
    : `periods of ${formatMs(periodSeconds * 1_000)}`;
  return {
    level: isWrong ? "warning" : "info",
    code: "curve-fit",
    subject: `scenarios.${scenario}.stages`,
    message: `the rate follows ${times(speed)}the log's rate in ` +
      `${plural(curve.times.length - 1, "stage")}; cumulative requests deviate by at most ` +
      `${Number(off.toPrecision(2))}% of the total; ${percentText(share, 1)} of the plan's ` +
      `requests are sent in ${periods} with less than half or more than twice that rate in the ` +
      `log; the highest rate is ${rateText(speed * Math.max(...curve.rates))} req/s, the log's ` +
      `busiest second has ${plural(span.peak, "request")} ` +
      (!isWrong
        ? "(more `--stages` follow it more closely)"
        : stages === "auto"
        ? "(no curve follows the bursts of this log: keep its busiest part with `--busiest 1h`)"
        : "(the curve smooths bursts: use `--stages auto`, or keep the busiest part of the log with " +
          "`--busiest 1h`)"),
  };
}
