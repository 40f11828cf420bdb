import { durationMs, formatMs, formatNumber } from "../../base/format.ts";
import { areaReader } from "../../convert/accesslog/rate/rate_curve.ts";
import { chooseRatePeriod } from "../../convert/accesslog/rate/periods.ts";
import type { RatePoint } from "../../plan/kinds/executors/executor.ts";
import { rateCurve } from "../../plan/kinds/executors/executors.ts";
import { requestRange } from "../../plan/request_range.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import type { ChartData } from "./chart.ts";

/** Maximum number of points in a chart of the request rate. */
const MAX_POINTS = 1_200;

/**
 * Maximum ratio of the plan's rate to the log's rate that the chart shows. Larger ratios are
 * capped.
 */
const MOST_RATIO = 16;

/**
 * Creates two charts. The first one shows the request rates in a log and in the plan created from
 * it. The second one shows the ratio of the two rates, so that readers can see how well the plan
 * fits the log even if the log's rate varies a lot. `zone` is the time zone of the x-axis.
 */
export function rateChart(
  profile: TrafficProfile,
  plan: Plan,
  span: TimeSpan,
  zone: string,
): ChartData {
  const buckets = Math.min(MAX_POINTS, span.seconds);
  const { rate } = plannedRate(plan, profile, span);
  const middles = Array.from({ length: buckets }, (_, i) => (i + 0.5) / buckets);
  const digits = (n: number) => Number(n.toPrecision(6));
  // Rounded to milliseconds, because six significant digits of Unix seconds would round to hours.
  const time = (at: number) => Math.round((span.first + at * span.seconds) * 1_000) / 1_000;
  return {
    axes: { utc: middles.map(time) },
    zone,
    charts: [{
      title: "Requests",
      axis: "utc",
      unit: "rate",
      series: [
        { label: "log", tone: "quiet", values: profile.rates(buckets).map(digits) },
        { label: "plan", tone: "one", values: middles.map((at) => digits(rate(at))) },
      ],
    }, {
      title: "Plan's rate as a multiple of the log's",
      axis: "utc",
      unit: "ratio",
      series: [
        { label: "plan ÷ log", tone: "one", stepped: true, values: ratios(profile, plan, span) },
        { label: "half", tone: "quiet", dashed: true, values: middles.map(() => 1 / 2) },
        { label: "twice", tone: "quiet", dashed: true, values: middles.map(() => 2) },
      ],
    }],
  };
}

/**
 * Returns the ratio of the plan's rate to the log's rate at each point of the x-axis; null if both
 * are 0. The rates are averaged over the same periods that are used to judge how well the plan fits
 * the log.
 */
function ratios(profile: TrafficProfile, plan: Plan, span: TimeSpan): (number | null)[] {
  const buckets = Math.min(MAX_POINTS, span.seconds);
  const periodSeconds = Math.max(chooseRatePeriod(profile, span), span.seconds / buckets);
  const periods = Math.max(1, Math.floor(span.seconds / periodSeconds));
  const logged = profile.rates(periods);
  const { each, curve } = plannedCurve(plan, profile, span);
  const { seconds } = curve[curve.length - 1];
  const areaAt = areaReader({
    times: curve.map((point) => point.seconds),
    rates: curve.map((point) => point.rate),
  });
  let before = 0;
  const found = logged.map((log, i) => {
    const area = areaAt((i + 1) / periods * seconds);
    const planned = each * (area - before) * periods / seconds;
    before = area;
    if (planned === 0 && log === 0) return null;
    return Number(Math.max(1 / MOST_RATIO, Math.min(MOST_RATIO, planned / log)).toPrecision(6));
  });
  return Array.from(
    { length: buckets },
    (_, i) => found[Math.floor((i + 0.5) * periods / buckets)],
  );
}

/** Returns a note that explains the points and the x-axis of the chart. */
export function rateNote(
  profile: TrafficProfile,
  plan: Plan,
  span: TimeSpan,
  zone: string,
): string {
  const { seconds } = plannedRate(plan, profile, span);
  const step = span.seconds / Math.min(MAX_POINTS, span.seconds);
  const point = step === 1
    ? "One point per second"
    : `Each point is the average over ${formatNumber(step)} s`;
  const same = Math.abs(seconds - span.seconds) < 1;
  const drawn = same
    ? ""
    : `. The plan's duration of ${formatMs(seconds * 1_000)} is stretched to that of the log`;
  const period = formatMs(chooseRatePeriod(profile, span) * 1_000);
  return `${point}${drawn}. The second chart compares periods of ${period}: where its line is outside the ` +
    `dashed lines, the plan sends less than half or more than twice the log's rate. Times are in the ` +
    `time zone ${zone}. Drag to zoom, double-click to reset the zoom.`;
}

/**
 * Returns the planned number of requests per second. `at` is the position in the run, from 0
 * (start) to 1 (end).
 */
export type PlannedRate = (at: number) => number;

/**
 * Returns the planned request rate and the duration, in seconds, of a plan that `convert` created
 * from a log. Such a plan has one scenario, with an open model.
 */
export function plannedRate(
  plan: Plan,
  profile: TrafficProfile,
  span: TimeSpan,
): { rate: PlannedRate; seconds: number } {
  const { each, curve } = plannedCurve(plan, profile, span);
  const { seconds } = curve[curve.length - 1];
  return { seconds, rate: (at) => each * rateAt(curve, at * seconds) };
}

/**
 * Returns the iteration rate of a plan over time, and the mean number of requests in an iteration.
 */
function plannedCurve(
  { scenarios }: Plan,
  profile: TrafficProfile,
  span: TimeSpan,
): { curve: readonly RatePoint[]; each: number } {
  const [scenario] = Object.values(scenarios);
  const { mean, min } = requestRange(scenario.flow);
  const each = mean ?? min;
  if (scenario.executor !== "recorded-arrivals") return { curve: rateCurve(scenario), each };
  const rates = profile.rates(Math.min(MAX_POINTS, span.seconds));
  const scale = scenario.rate * span.seconds / profile.requests;
  const step = durationMs(scenario.duration)! / 1_000 / rates.length;
  const curve = rates.flatMap((rate, i) =>
    [i, i + 1].map((end) => ({ seconds: end * step, rate: rate * scale }))
  );
  return { curve, each };
}

function rateAt(curve: readonly RatePoint[], time: number): number {
  const next = curve.findIndex(({ seconds }) => seconds >= time);
  if (next <= 0) return next === 0 ? curve[0].rate : 0;
  const [a, b] = [curve[next - 1], curve[next]];
  return a.rate + (b.rate - a.rate) * (time - a.seconds) / (b.seconds - a.seconds || 1);
}
