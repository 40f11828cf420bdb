import { durationMs } from "../base/format.ts";
import { Histogram, mergeHistograms } from "../base/histogram.ts";
import { plannedIterations, rateCurve, type Scenario } from "../plan/kinds/executors.ts";
import { partitionCount, type Shard, WHOLE } from "../plan/partition.ts";
import { curveArea } from "../plan/predicted_load.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { MetricNameOf } from "../plan/text/metrics.ts";
import { wholeCount } from "./kinds/arrivals.ts";
import { createExecutor } from "./kinds/executors.ts";
import { evaluateThreshold, type ThresholdRule, unevaluatedVerdict } from "./metrics/summarize.ts";
import type { ScenarioCounts, TickDetails, TickReport } from "./metrics/snapshot.ts";
import { percentilesMs } from "./metrics/timeline.ts";
import type { PercentileKey } from "./summary/codes.ts";
import type { ThresholdVerdict, TimelinePoint } from "./summary/summary.ts";

/**
 * Returns the number of iterations of a scenario that a shard starts (default: the whole plan): the
 * scheduled number for open models, and the configured number for closed models. Returns `Infinity`
 * if the number depends on response times.
 */
export function expectedIterations(scenario: Scenario, shard: Shard = WHOLE): number {
  const countInShard = (count: number) => partitionCount(count, shard);
  const curve = rateCurve(scenario);
  return curve.length > 0
    ? countInShard(wholeCount(curveArea(curve)))
    : plannedIterations(scenario, countInShard);
}

export function gracefulStopMs({ graceful_stop = "30s" }: Scenario): number {
  return durationMs(graceful_stop)!;
}

/** Returns the latest start of a scenario, in ms after the start of the run. */
export function latestStartMs(
  { after, start_time = 0 }: Scenario,
  scenarios: Readonly<Record<string, Scenario>>,
): number {
  const delay = durationMs(start_time)!;
  if (after === undefined) return delay;
  const before = scenarios[after];
  return delay + latestEndMs(before, scenarios) + gracefulStopMs(before);
}

/** Returns the latest end of the schedule of a scenario, in ms after the start of the run. */
export function latestEndMs(
  scenario: Scenario,
  scenarios: Readonly<Record<string, Scenario>>,
): number {
  return latestStartMs(scenario, scenarios) + createExecutor(scenario).durationMs;
}

/** Progress of a scenario. */
export interface ScenarioProgress {
  readonly name: string;
  readonly executor: string;
  readonly state: "waiting" | "running" | "ended";
  /** Start in ms after that of the run. Infinity until the scenario before it has ended. */
  readonly startMs: number;
  readonly after?: string;
  /** Fraction of the schedule, or of a fixed number of iterations if it is larger. */
  readonly done: number;
  /** Maximum number of VUs that were busy at the same time in the last one-second interval. */
  readonly vus: number;
  readonly iterations: number;
  readonly dropped: number;
}

/** Progress of a run, passed to `onTick` once per second. */
export interface Progress {
  readonly elapsedMs: number;
  /** End of the last schedule, in ms after the start of the run. Graceful stops may end later. */
  readonly plannedMs: number;
  /** Fraction of the planned time, or of the slowest scenario if it is larger. */
  readonly done: number;
  readonly vus: number;
  readonly iterations: number;
  readonly dropped: number;
  readonly requests: number;
  readonly failed: number;
  /** Number of requests that could not be sent. They also count as failed. */
  readonly unsent: number;
  /** Number of bytes received so far. 0 means that no request got a response. */
  readonly received: number;
  readonly last: TimelinePoint;
  readonly times: Pick<TimelinePoint, PercentileKey>;
  readonly scenarios: readonly ScenarioProgress[];
  /**
   * Threshold results for the run so far. `passed` is null in a shard or before the first sample.
   */
  readonly thresholds: readonly ThresholdVerdict[];
  /** Present only if the run was started with `details`. Messages may contain secrets. */
  readonly details?: TickDetails;
}

interface Schedule {
  readonly executor: string;
  readonly after: string | undefined;
  /** Delay after the start of the run, or after the end of the scenario that it follows. */
  readonly delayMs: number;
  readonly durationMs: number;
  /** Number of iterations in this shard if the executor has a fixed number, otherwise Infinity. */
  readonly iterations: number;
}

export function progressReader(
  plan: Plan,
  rules: readonly ThresholdRule[],
  shard: Shard,
  plannedMs: number,
): (second: TickReport, elapsedMs: number) => Progress {
  const schedules = new Map(
    Object.entries(plan.scenarios).map(([name, scenario]) => [name, schedule(scenario, shard)]),
  );
  const starts = new Map<string, number>();
  return ({ metrics, last, scenarios: counts, details }, elapsedMs) => {
    const scenarios = counts.map((of) => {
      const schedule = schedules.get(of.name)!;
      const known = schedule.after === undefined ? schedule.delayMs : starts.get(of.name);
      const isActive = of.iterations + of.atWork > 0;
      const startMs = known ?? (isActive ? elapsedMs : Infinity);
      if (startMs < Infinity) starts.set(of.name, startMs);
      return scenarioProgress(of, schedule, startMs, elapsedMs);
    });
    for (const { name, state } of scenarios) {
      if (state !== "ended") continue;
      for (const [next, { after, delayMs }] of schedules) {
        if (after === name && !starts.has(next)) starts.set(next, elapsedMs + delayMs);
      }
    }
    const leastDone = Math.min(...scenarios.map(({ done }) => done));
    return {
      elapsedMs,
      plannedMs,
      done: Math.min(1, Math.max(elapsedMs / plannedMs, leastDone)),
      vus: last.vus,
      iterations: count(metrics, "iterations"),
      dropped: count(metrics, "dropped_iterations"),
      requests: count(metrics, "http_reqs"),
      failed: rate(metrics, "http_req_failed").passes,
      // The rate has a sample for each request, whereas `http_reqs` counts only those that were
      // sent.
      unsent: rate(metrics, "http_req_failed").total - count(metrics, "http_reqs"),
      received: count(metrics, "data_received"),
      last,
      times: times(metrics, "http_req_duration"),
      scenarios,
      thresholds: rules.map((rule) =>
        shard.of > 1 ? unevaluatedVerdict(rule) : evaluateThreshold(rule, metrics, elapsedMs, false)
      ),
      ...(details && { details }),
    };
  };
}

function schedule(scenario: Scenario, shard: Shard): Schedule {
  return {
    executor: scenario.executor,
    after: scenario.after,
    delayMs: durationMs(scenario.start_time ?? 0)!,
    durationMs: createExecutor(scenario).durationMs,
    iterations: plannedIterations(scenario, (count) => partitionCount(count, shard)),
  };
}

function scenarioProgress(
  { name, vus, atWork, iterations, interrupted, dropped }: ScenarioCounts,
  schedule: Schedule,
  startMs: number,
  elapsedMs: number,
): ScenarioProgress {
  const { executor, after } = schedule;
  const timeDone = (elapsedMs - startMs) / schedule.durationMs;
  const iterationsDone = (iterations + interrupted) / schedule.iterations;
  // A shard of a small plan may have no iterations to run.
  const done = schedule.iterations === 0 ? 1 : Math.min(1, Math.max(0, timeDone, iterationsDone));
  const state = elapsedMs < startMs ? "waiting" : done < 1 || atWork > 0 ? "running" : "ended";
  const follows = after !== undefined && { after };
  return { name, executor, state, startMs, ...follows, done, vus, iterations, dropped };
}

type Metrics = TickReport["metrics"];

function times(metrics: Metrics, name: MetricNameOf<"trend">): Progress["times"] {
  const data = metrics[name];
  return percentilesMs(data.kind === "trend" ? mergeHistograms(data.histogram) : new Histogram());
}

function rate(metrics: Metrics, name: MetricNameOf<"rate">): { passes: number; total: number } {
  const data = metrics[name];
  return data.kind === "rate" ? data : { passes: 0, total: 0 };
}

function count(metrics: Metrics, name: MetricNameOf<"counter">): number {
  const data = metrics[name];
  return data.kind === "counter" ? data.count : 0;
}
