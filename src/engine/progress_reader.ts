import { durationMs } from "../base/duration.ts";
import { mergeHistograms } from "../base/histogram.ts";
import { partitionCount, type Shard } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Scenario } from "../plan/schema/scenario.ts";
import { findExecutor } from "./executors/find_executor.ts";
import type { MetricData } from "./metrics/metric.ts";
import type { ScenarioCounts } from "./metrics/snapshot.ts";
import { judgeSoFar, type Rule, unjudged } from "./metrics/judge_thresholds.ts";
import type { TickReport } from "./runner.ts";
import type { Progress, ScenarioProgress } from "./summary.ts";

/** What a scenario is to play, from the run's start. */
interface Schedule {
  readonly executor: string;
  readonly startMs: number;
  readonly durationMs: number;
  /** Where it plays a number of them; else Infinity. */
  readonly iterations: number;
}

/** Says how far a run has come, from what was counted when a second ended. */
export function progressReader(
  plan: Plan,
  rules: readonly Rule[],
  share: Shard,
  plannedMs: number,
): (second: TickReport, elapsedMs: number) => Progress {
  const schedules = new Map(
    Object.entries(plan.scenarios).map(([name, scenario]) => [name, schedule(scenario, share)]),
  );
  return ({ metrics, last, scenarios: counts }, elapsedMs) => {
    const scenarios = counts.map((of) => scenarioProgress(of, schedules.get(of.name)!, elapsedMs));
    const least = Math.min(...scenarios.map(({ done }) => done));
    return {
      elapsedMs,
      plannedMs,
      done: Math.min(1, Math.max(elapsedMs / plannedMs, least)),
      vus: last.vus,
      iterations: count(metrics.iterations),
      dropped: count(metrics.dropped_iterations),
      requests: count(metrics.http_reqs),
      failed: metrics.http_req_failed.kind === "rate" ? metrics.http_req_failed.passes : 0,
      unsent: unsent(metrics),
      last,
      times: times(metrics.http_req_duration),
      scenarios,
      thresholds: rules.map((rule) =>
        share.of === 1 ? judgeSoFar(rule, metrics, elapsedMs) : unjudged(rule)
      ),
    };
  };
}

function schedule(scenario: Scenario, share: Shard): Schedule {
  return {
    executor: scenario.executor,
    startMs: durationMs(scenario.start_time ?? 0)!,
    durationMs: findExecutor(scenario).durationMs,
    iterations: iterations(scenario, share),
  };
}

function iterations(scenario: Scenario, share: Shard): number {
  switch (scenario.executor) {
    case "per-vu-iterations":
      return partitionCount(scenario.vus, share) * scenario.iterations;
    case "shared-iterations":
      return partitionCount(scenario.iterations, share);
    default:
      return Infinity;
  }
}

function scenarioProgress(
  { name, vus, atWork, iterations, interrupted, dropped }: ScenarioCounts,
  schedule: Schedule,
  elapsedMs: number,
): ScenarioProgress {
  const { executor, startMs } = schedule;
  const ofTime = (elapsedMs - startMs) / schedule.durationMs;
  const ofIterations = (iterations + interrupted) / schedule.iterations;
  // A share of a small plan may have nothing to play.
  const done = schedule.iterations === 0 ? 1 : Math.min(1, Math.max(0, ofTime, ofIterations));
  const state = elapsedMs < startMs ? "waiting" : done < 1 || atWork > 0 ? "playing" : "ended";
  return { name, executor, state, startMs, done, vus, iterations, dropped };
}

function times(data: MetricData): Progress["times"] {
  if (data.kind !== "trend") return { p50: 0, p95: 0, p99: 0 };
  const histogram = mergeHistograms(data.histogram);
  const ms = (percent: number) => histogram.percentile(percent) / 1_000;
  return { p50: ms(50), p95: ms(95), p99: ms(99) };
}

/** The failure rate has a sample for each request; `http_reqs` counts those that were sent. */
function unsent({ http_req_failed, http_reqs }: Readonly<Record<string, MetricData>>): number {
  return http_req_failed.kind === "rate" ? http_req_failed.total - count(http_reqs) : 0;
}

function count(data: MetricData): number {
  return data.kind === "counter" ? data.count : 0;
}
