import { mapPercentiles, type PercentileKey } from "../engine/summary/codes.ts";
import type { TimelinePoint } from "../engine/summary/summary.ts";
import type { Progress, ScenarioProgress } from "../engine/progress.ts";
import { count, formatMs, percent, perSecond, time } from "../base/format.ts";
import { isOpenModel } from "../plan/kinds/executors.ts";

/** A metric of a run in progress. */
export interface LiveMetric {
  readonly label: string;
  /** Value of the last one-second interval, as formatted text. */
  readonly now: string;
  /** Value of the last one-second interval: a count, a share from 0 to 1, or milliseconds. */
  readonly value: number;
  /**
   * Rate of scheduled iterations in the last one-second interval, such as `of 50/s`. Only set for
   * the metric of started iterations, and only if a scenario has an open model.
   */
  readonly scheduled?: string;
  /** Value since the start of the run, as formatted text. Empty for metrics without a total. */
  readonly soFar: string;
  readonly seriesKey: Exclude<keyof TimelinePoint, "at" | "histogram" | "unsent">;
  readonly bad?: boolean;
}

/** Returns the key metrics of a run in progress, starting with the most important ones. */
export function liveMetrics(progress: Progress): LiveMetric[] {
  const { last, times, iterations, requests, failed, unsent, dropped } = progress;
  const isOpen = hasOpenModel(progress.scenarios);
  const hasResponses = last.requests > 0;
  const [now, soFar] = [last.requests + (last.unsent ?? 0), requests + unsent];
  const latency = (of: PercentileKey): LiveMetric => ({
    label: of,
    now: hasResponses ? time(last[of]) : "–",
    value: last[of],
    soFar: requests > 0 ? time(times[of]) : "–",
    seriesKey: of,
    bad: isExceeded(progress, of),
  });
  return [
    {
      label: "Iterations",
      now: perSecond(last.started),
      value: last.started,
      ...(isOpen && { scheduled: `of ${perSecond(last.scheduled)}` }),
      soFar: count(iterations),
      seriesKey: "started",
    },
    {
      label: "Requests",
      now: perSecond(last.requests),
      value: last.requests,
      soFar: count(requests),
      seriesKey: "requests",
    },
    {
      label: "Failed",
      now: now > 0 ? percent(last.failed / now) : "–",
      value: now > 0 ? last.failed / now : 0,
      soFar: soFar > 0 ? percent(failed / soFar) : "–",
      seriesKey: "failed",
      bad: failed > 0,
    },
    ...Object.values(mapPercentiles((_, key) => latency(key))),
    { label: "VUs", now: count(last.vus), value: last.vus, soFar: "", seriesKey: "vus" },
    ...(isOpen
      ? [{
        label: "Dropped",
        now: count(last.dropped),
        value: last.dropped,
        soFar: count(dropped),
        seriesKey: "dropped" as const,
        bad: dropped > 0,
      }]
      : []),
  ];
}

/**
 * Regular expression for each percentile. It matches the expressions of thresholds on that
 * percentile.
 */
const ON_PERCENTILE: Readonly<Record<PercentileKey, RegExp>> = {
  p50: /^\s*(?:med\b|p\(50(?:\.0+)?\))/,
  p95: /^\s*p\(95(?:\.0+)?\)/,
  p99: /^\s*p\(99(?:\.0+)?\)/,
};

/** Reports whether a threshold on the given percentile of all requests currently fails. */
function isExceeded({ thresholds }: Progress, of: PercentileKey): boolean {
  return thresholds.some(({ metric, expression, passed }) =>
    passed === false && metric === "http_req_duration" && ON_PERCENTILE[of].test(expression)
  );
}

/**
 * Reports whether a scenario uses an open model, in which the rate does not depend on the target's
 * response times.
 */
export function hasOpenModel(scenarios: readonly { readonly executor: string }[]): boolean {
  return scenarios.some(({ executor }) => isOpenModel(executor));
}

/**
 * Describes when a waiting scenario starts. The result contains recorded text, which is not
 * escaped.
 */
export function describeStart({ startMs, after }: ScenarioProgress): string {
  return startMs < Infinity ? `starts at ${formatMs(startMs)}` : `starts after ${after}`;
}

/** Time that has elapsed in a run, as text. */
export interface ElapsedText {
  /** Elapsed and planned time, such as `12s of 1m30s`. */
  readonly time: string;
  /** What the run waits for, after the planned end. Undefined before the planned end. */
  readonly waiting?: string;
}

/**
 * Describes how much of the planned time has elapsed. After the planned end, a run only waits for
 * the iterations that are still running, until `graceful_stop` cuts them off.
 */
export function describeElapsed({ elapsedMs, plannedMs, done }: Progress): ElapsedText {
  const [elapsed, planned] = [formatMs(elapsedMs), formatMs(plannedMs)];
  if (elapsedMs > plannedMs) {
    return {
      time: `${elapsed} (planned ${planned})`,
      waiting: "waiting for running iterations, up to `graceful_stop`",
    };
  }
  // A run with a fixed number of iterations can end before the planned time.
  return { time: `${elapsed} of ${done > elapsedMs / plannedMs ? "at most " : ""}${planned}` };
}
