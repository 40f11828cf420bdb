import { durationMs } from "../base/format.ts";
import { EXECUTORS, plannedIterations, rateCurve, type Scenario } from "../plan/kinds/executors.ts";
import { partitionCount, type Shard, WHOLE } from "../plan/partition.ts";
import { curveArea } from "../plan/predicted_load.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { wholeCount } from "./kinds/arrivals.ts";
import { createExecutor } from "./kinds/executors.ts";
import type { Phase } from "./summary/summary.ts";

/**
 * Maximum number of stages in a scenario for which each stage is a separate phase. A scenario with
 * more stages is a single phase.
 */
const MAX_STAGES = 40;
/** Maximum number of phases of a run. */
const MAX_PHASES = 200;

/**
 * Lists the planned phases of a run that took `ranMs` milliseconds. Each stage of a scenario is a
 * phase. A scenario with no stages, or with too many, is a single phase. `startMs` returns the
 * start of a scenario in milliseconds after the start of the run, or undefined if it is unknown.
 * Omits phases that the run did not reach.
 */
export function plannedPhases(
  { scenarios }: Plan,
  ranMs: number,
  startMs: (scenario: string) => number | undefined,
): Phase[] {
  const all = Object.entries(scenarios).flatMap(([name, scenario]) => {
    const start = startMs(name) ??
      (scenario.after ? undefined : durationMs(scenario.start_time ?? 0));
    return start === undefined ? [] : scenarioPhases(name, scenario, start);
  });
  return all.filter(({ from_ms }) => from_ms < ranMs)
    .map((phase) => ({ ...phase, to_ms: Math.min(phase.to_ms, ranMs) }))
    .slice(0, MAX_PHASES);
}

function scenarioPhases(name: string, scenario: Scenario, start: number): Phase[] {
  const stages = "stages" in scenario ? scenario.stages : [];
  const { stageTargets } = EXECUTORS[scenario.executor];
  if (stageTargets === null || stages.length === 0 || stages.length > MAX_STAGES) {
    return [{ scenario: name, from_ms: start, to_ms: start + createExecutor(scenario).durationMs }];
  }
  let from = start;
  const unitMs = "time_unit" in scenario ? durationMs(scenario.time_unit ?? "1s")! : 1_000;
  const scale = stageTargets === "rates" ? 1_000 / unitMs : 1;
  return stages.map(({ duration, target }) => {
    const from_ms = from;
    from += durationMs(duration)!;
    return { scenario: name, from_ms, to_ms: from, target: target * scale, unit: stageTargets };
  });
}

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

/**
 * Returns the time in ms for which iterations may continue after the end of a scenario's schedule.
 */
export function gracefulStopMs({ graceful_stop = "30s" }: Scenario): number {
  return durationMs(graceful_stop)!;
}

/**
 * Returns the latest start of a scenario, in ms after the start of the run. `scenarios` are all
 * scenarios of the plan.
 */
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
