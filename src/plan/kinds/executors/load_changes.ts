import { durationMs } from "../../../base/format.ts";

interface Stage {
  readonly duration: string | number;
  readonly target: number;
}

/**
 * Returns copies of the stages, with each target converted by `target`. If `duration` is set,
 * scales the durations of the stages so that their sum is `duration`.
 */
export function stretchStages<S extends Stage>(
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

/** Returns a copy of `values` without the properties whose value is undefined. */
export function given<T extends Record<string, unknown>>(
  values: T,
): { [K in keyof T]?: NonNullable<T[K]> } {
  const present = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as { [K in keyof T]?: NonNullable<T[K]> };
}
