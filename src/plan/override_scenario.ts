import { durationMs } from "../base/duration.ts";
import type { Scenario } from "./schema/scenario.ts";

/** What a command line may change of the load of a scenario. What is absent stays as it is. */
export interface LoadChanges {
  /** VUs of each scenario, the highest target of one that ramps. */
  readonly vus?: number;
  /** Iterations: of each VU, or in all, as the scenario counts them. */
  readonly iterations?: number;
  /** How long each scenario goes on; stages keep their proportions. */
  readonly duration?: string;
  /** Factor of each arrival rate, and of the VUs for it when it is above 1. */
  readonly rateScale?: number;
}

/** A scenario with what the command line changes of its load; its flow stays as it is. */
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
        stages: stretched(stages, duration, (target) => Math.round(target * scale)),
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
        stages: stretched(scenario.stages, duration, (target) => target * rateScale),
        ...pool(scenario, vus, rateScale),
      };
  }
}

interface Stage {
  readonly duration: string | number;
  readonly target: number;
}

/** The same curve over another time. */
function stretched<S extends Stage>(
  stages: readonly S[],
  duration: string | undefined,
  target: (before: number) => number,
): S[] {
  const lengths = stages.map((stage) => durationMs(stage.duration)!);
  const whole = lengths.reduce((sum, ms) => sum + ms, 0);
  const factor = duration === undefined || whole === 0 ? 1 : durationMs(duration)! / whole;
  return stages.map((stage, i) => ({
    ...stage,
    ...(factor !== 1 && { duration: (lengths[i] * factor) / 1_000 }),
    target: target(stage.target),
  }));
}

/** The VUs of an open model: as given, or enough for the higher rate (Little's law). */
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

/** Only what is there. */
function given<T extends Record<string, unknown>>(
  values: T,
): { [K in keyof T]?: NonNullable<T[K]> } {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]?: NonNullable<T[K]> };
}
