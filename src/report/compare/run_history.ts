import { PERCENTILES } from "../../engine/summary/codes.ts";
import type { EndpointStats } from "../../engine/summary/flow_stats.ts";
import {
  type Estimate,
  inMs,
  MIN_TIME_CHANGE_MS,
  percentileEstimate,
  shareEstimate,
} from "./change.ts";
import { measureEndpoints } from "./compared_endpoints.ts";
import { runTotals } from "./compared_totals.ts";
import { coverSamePart, hasNoResponse, partialReasons } from "./doubts.ts";
import { type Drift, DRIFT_ERROR_RATE, judgeDrift } from "./drift.ts";
import { significanceLimit } from "./rank_trend.ts";
import type { ComparedRun } from "./run_differences.ts";
import type { Unit } from "./unit.ts";

/** Values of a metric in several runs, in the order of the runs. */
export interface MetricHistory {
  readonly label: string;
  readonly unit: Unit;
  /** Value of each run. Undefined if the run has no value that can be compared. */
  readonly values: readonly (Estimate | undefined)[];
  /**
   * Drift of the metric. Absent if neither higher nor lower values are better, as for the number of
   * requests.
   */
  readonly drift?: Drift;
}

/** Measurements of an endpoint in several runs, in the order of the runs. */
export interface EndpointHistory {
  readonly name: string;
  readonly scenario: string;
  readonly group: string;
  /** Number of requests sent in each run. Undefined for a run without this endpoint. */
  readonly requests: readonly (number | undefined)[];
  readonly p95: MetricHistory & { readonly drift: Drift };
  readonly failed: MetricHistory & { readonly drift: Drift };
}

/**
 * Returns the metrics of each run over all requests. Incomplete runs have no values, unless all
 * runs cover the same part of their plans. Runs in which no request got a response have no response
 * times.
 */
export function metricHistories(runs: readonly ComparedRun[]): MetricHistory[] {
  const isKnown = whichAreWhole(runs);
  const totals = runs.map(({ summary }) => runTotals(summary));
  const values = (isPresent: (i: number) => boolean, read: (i: number) => Estimate) =>
    runs.map((_, i) => isKnown[i] && isPresent(i) ? read(i) : undefined);
  const exact = (value: number): Estimate => ({ value, low: value, high: value });
  const times = Object.entries(PERCENTILES).map(([label, percent]) => ({
    label,
    unit: "time" as const,
    values: values(
      (i) => hasResponseTimes(runs[i]),
      (i) => inMs(percentileEstimate(totals[i].durations, percent)),
    ),
  }));
  const failed = {
    label: "Failed",
    unit: "share" as const,
    values: values(
      (i) => totals[i].failed.of > 0,
      (i) => shareEstimate(totals[i].failed.count, totals[i].failed.of),
    ),
  };
  const judged = [...times, failed];
  const limit = driftLimit(judged.map(({ values }) => values));
  const always = () => true;
  return [
    ...judged.map((metric) => ({
      ...metric,
      drift: judgeDrift(metric.values, limit, minimumChange(metric.unit)),
    })),
    { label: "Requests/s", unit: "number", values: values(always, (i) => exact(totals[i].rate)) },
    {
      label: "Failures",
      unit: "count",
      values: values(always, (i) => exact(totals[i].failed.count)),
    },
  ];
}

/** Returns the minimum change in a metric that counts as a drift, in the unit of the metric. */
function minimumChange(unit: Unit): number {
  return unit === "time" ? MIN_TIME_CHANGE_MS : 0;
}

/**
 * Returns the significance level for drifts: a trend is a drift if its p-value is at most this
 * level. The level depends on all metrics that are tested together.
 */
function driftLimit(metrics: readonly (readonly (Estimate | undefined)[])[]): number {
  const ps = metrics.map((values) => judgeDrift(values).trend.p);
  return significanceLimit(ps, DRIFT_ERROR_RATE);
}

/**
 * Returns the endpoints of all runs. Those that drift come first, then those with the most requests
 * in the last run. The more endpoints there are, the more evidence a drift needs: at most 1% of the
 * drifts found are expected to be false.
 */
export function endpointHistories(runs: readonly ComparedRun[]): EndpointHistory[] {
  const isKnown = whichAreWhole(runs);
  const measured = runs.map(({ summary }) => measureEndpoints(summary));
  const keys = [...new Set(measured.toReversed().flatMap((of) => [...of.keys()]))];
  const rows = keys.map((key) => {
    const found = measured.map((of) => of.get(key));
    const { name, scenario, group } = found.find((one) => one !== undefined)!.stats;
    const p95 = found.map((one, i) =>
      one && isKnown[i] && one.stats.count > 0 && hasResponseTimes(runs[i])
        ? inMs(one.p95)
        : undefined
    );
    const failed = found.map((one, i) =>
      one && isKnown[i] && requestsOf(one.stats) > 0 ? one.failed : undefined
    );
    const requests = found.map((one) => one?.stats.count);
    return { name, scenario, group, requests, p95, failed };
  });
  const limits = {
    p95: driftLimit(rows.map(({ p95 }) => p95)),
    failed: driftLimit(rows.map(({ failed }) => failed)),
  };
  return rows.map(({ p95, failed, ...row }): EndpointHistory => ({
    ...row,
    p95: {
      label: "p95",
      unit: "time",
      values: p95,
      drift: judgeDrift(p95, limits.p95, minimumChange("time")),
    },
    failed: {
      label: "failed",
      unit: "share",
      values: failed,
      drift: judgeDrift(failed, limits.failed),
    },
  })).sort((a, b) => order(a) - order(b) || (b.requests.at(-1) ?? 0) - (a.requests.at(-1) ?? 0));
}

function requestsOf({ count, unsent = 0 }: EndpointStats): number {
  return count + unsent;
}

function order({ p95, failed }: EndpointHistory): number {
  const verdicts = [p95.drift.verdict, failed.drift.verdict];
  if (verdicts.includes("worse")) return 0;
  return verdicts.includes("better") ? 1 : 2;
}

/**
 * Reports for each run whether its values can be compared. An incomplete run has a different load,
 * unless all runs cover the same part of their plans.
 */
function whichAreWhole(runs: readonly ComparedRun[]): boolean[] {
  const isSamePart = runs.every(({ summary }) => coverSamePart(runs[0].summary, summary));
  return runs.map(({ summary }) => isSamePart || partialReasons(summary).length === 0);
}

/**
 * Reports whether a run has response times. If no request got a response, the recorded times are
 * those of failed connections.
 */
function hasResponseTimes({ summary }: ComparedRun): boolean {
  return !hasNoResponse(summary) && summary.endpoints.some(({ count }) => count > 0);
}
