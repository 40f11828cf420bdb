import { formatMs } from "../../base/duration.ts";
import { formatNumber } from "../../base/format.ts";
import type { RatePoint } from "../../plan/kinds/executors/executor.ts";
import { rateCurve } from "../../plan/kinds/executors/executors.ts";
import { countRequests } from "../../plan/kinds/steps/list_requests.ts";
import type { Step } from "../../plan/kinds/steps/steps.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type { TimeSpan, TrafficProfile } from "../../traffic/accesslog/profile/traffic_profile.ts";
import type { ChartData } from "./chart.ts";

/** Maximum number of points in the chart. */
const MAX_POINTS = 1_200;

/** Creates a chart of the request rates in a log and in the plan created from it. */
export function rateChart(profile: TrafficProfile, plan: Plan, span: TimeSpan): ChartData {
  const buckets = Math.min(MAX_POINTS, span.seconds);
  const { rate } = plannedRate(plan);
  const middles = Array.from({ length: buckets }, (_, i) => (i + 0.5) / buckets);
  const digits = (n: number) => Number(n.toPrecision(6));
  // Rounded to milliseconds, because six significant digits of Unix seconds would round to hours.
  const time = (at: number) => Math.round((span.first + at * span.seconds) * 1_000) / 1_000;
  return {
    axes: { utc: middles.map(time) },
    charts: [{
      title: "Requests",
      axis: "utc",
      unit: "rate",
      series: [
        { label: "log", tone: "quiet", values: profile.rates(buckets).map(digits) },
        { label: "plan", tone: "one", values: middles.map((at) => digits(rate(at))) },
      ],
    }],
  };
}

/** Returns a note that explains the points and the x-axis of the chart. */
export function rateNote(plan: Plan, span: TimeSpan): string {
  const { seconds } = plannedRate(plan);
  const step = span.seconds / Math.min(MAX_POINTS, span.seconds);
  const point = step === 1
    ? "One point per second"
    : `Each point is the average of ${formatNumber(step)} s`;
  const same = Math.abs(seconds - span.seconds) < 1;
  const drawn = same
    ? ""
    : `. The plan's duration of ${formatMs(seconds * 1_000)} is stretched to that of the log`;
  return `${point}${drawn}. Times are UTC. Drag to zoom, double-click to reset the zoom.`;
}

/**
 * Returns the planned number of requests per second. `at` is the time in the run, from 0 (start) to
 * 1 (end).
 */
export type PlannedRate = (at: number) => number;

/**
 * Returns the planned request rate and the duration, in seconds, of a plan that `convert` created
 * from a log. Such a plan has one scenario, with an open model.
 */
export function plannedRate({ scenarios }: Plan): { rate: PlannedRate; seconds: number } {
  const [scenario] = Object.values(scenarios);
  const each = requestsPerIteration(scenario.flow);
  const curve = rateCurve(scenario);
  const { seconds } = curve[curve.length - 1];
  return { seconds, rate: (at) => each * rateAt(curve, at * seconds) };
}

function rateAt(curve: readonly RatePoint[], time: number): number {
  const next = curve.findIndex(({ seconds }) => seconds >= time);
  if (next <= 0) return next === 0 ? curve[0].rate : 0;
  const [a, b] = [curve[next - 1], curve[next]];
  return a.rate + (b.rate - a.rate) * (time - a.seconds) / (b.seconds - a.seconds || 1);
}

/**
 * Returns the number of requests per iteration. If the flow is a single random choice, returns the
 * weighted mean of its choices.
 */
function requestsPerIteration(flow: readonly Step[]): number {
  const choices = flow.length === 1 ? flow[0].random?.choices : undefined;
  if (choices === undefined) return countRequests(flow);
  const weights = choices.map(({ weight }) => weight ?? 1);
  const sum = choices.reduce((sum, { steps }, i) => sum + weights[i] * countRequests(steps), 0);
  return sum / weights.reduce((a, b) => a + b, 0);
}
