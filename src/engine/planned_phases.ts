import { durationMs } from "../base/format.ts";
import { EXECUTORS, type Scenario } from "../plan/kinds/executors/executors.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { createExecutor } from "./kinds/executors/executors.ts";
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
