import { durationMs } from "../base/duration.ts";
import type { Scenario } from "./kinds/executors/executors.ts";

/** Changes from the command line to a scenario's load. Absent properties leave the load unchanged. */
export interface LoadChanges {
  /** Number of VUs of each scenario; for `ramping-vus`, the highest target. */
  readonly vus?: number;
  /** Number of iterations: per VU or in total, depending on the executor. */
  readonly iterations?: number;
  /** Duration of each scenario, such as `30s`. Stages keep their proportions. */
  readonly duration?: string;
  /**
   * Factor for each arrival rate. If it is above 1, it also multiplies the VUs of scenarios with an
   * arrival rate.
   */
  readonly rateScale?: number;
}

/** Returns the scenario with its load changed. The flow stays the same. */
export function overrideScenario(scenario: Scenario, changes: LoadChanges): Scenario {
  const { vus, iterations, duration, rateScale = 1 } = changes;
  switch (scenario.executor) {
    case "constant-vus":
      return { ...scenario, ...given({ vus, duration }) };
    case "per-vu-iterations":
    case "shared-iterations":
      return { ...scenario, ...given({ vus, iterations, max_duration: duration }) };
    case "ramping-vus": {
      const { start_vus = 0, stages } = scenario;
      const highest = Math.max(start_vus, ...stages.map(({ target }) => target));
      const scale = vus === undefined || highest === 0 ? 1 : vus / highest;
      return {
        ...scenario,
        start_vus: Math.round(start_vus * scale),
        stages: stretchStages(stages, duration, (target) => Math.round(target * scale)),
      };
    }
    case "constant-arrival-rate":
      return {
        ...scenario,
        ...given({ duration }),
        rate: scenario.rate * rateScale,
        ...pool(scenario, vus, rateScale),
      };
    case "ramping-arrival-rate":
      return {
        ...scenario,
        start_rate: (scenario.start_rate ?? 0) * rateScale,
        stages: stretchStages(scenario.stages, duration, (target) => target * rateScale),
        ...pool(scenario, vus, rateScale),
      };
  }
}

interface Stage {
  readonly duration: string | number;
  readonly target: number;
}

/**
 * Scales the durations of the stages to a total of `duration` (undefined keeps them), and replaces each
 * target with the result of `target`.
 */
function stretchStages<S extends Stage>(
  stages: readonly S[],
  duration: string | undefined,
  target: (before: number) => number,
): S[] {
  const lengths = stages.map((stage) => durationMs(stage.duration)!);
  const total = lengths.reduce((sum, ms) => sum + ms, 0);
  const factor = duration === undefined || total === 0 ? 1 : durationMs(duration)! / total;
  return stages.map((stage, i) => ({
    ...stage,
    ...(factor !== 1 && { duration: (lengths[i] * factor) / 1_000 }),
    target: target(stage.target),
  }));
}

/**
 * Returns the changed VU limits of a scenario with an arrival rate: `vus` if given, otherwise multiplied
 * by a `rateScale` above 1 (Little's law).
 */
function pool(
  scenario: { readonly pre_allocated_vus: number; readonly max_vus?: number },
  vus: number | undefined,
  rateScale: number,
) {
  if (vus !== undefined) return { pre_allocated_vus: vus, max_vus: vus };
  if (rateScale <= 1) return {};
  const { pre_allocated_vus, max_vus = Math.max(1, pre_allocated_vus) } = scenario;
  return {
    pre_allocated_vus: Math.ceil(pre_allocated_vus * rateScale),
    max_vus: Math.ceil(max_vus * rateScale),
  };
}

/** Returns the properties that are not undefined. */
function given<T extends Record<string, unknown>>(
  values: T,
): { [K in keyof T]?: NonNullable<T[K]> } {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]?: NonNullable<T[K]> };
}
