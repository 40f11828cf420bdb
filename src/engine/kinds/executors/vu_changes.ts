/**
 * Number of VUs that run from `time` (ms after the start of the scenario) until the next change.
 */
export interface VuChange {
  readonly time: number;
  readonly vus: number;
}

/**
 * Returns the times at which the number of VUs of a ramp changes. It changes when the linear ramp
 * reaches the next whole number, up or down.
 */
export function vuChanges(
  startVus: number,
  stages: readonly { readonly durationMs: number; readonly target: number }[],
): VuChange[] {
  const changes: VuChange[] = [{ time: 0, vus: startVus }];
  let [time, vus] = [0, startVus];
  for (const { durationMs, target } of stages) {
    const steps = durationMs > 0 ? Math.abs(target - vus) : Math.min(1, Math.abs(target - vus));
    for (let i = 1; i <= steps; i++) {
      const reached = Math.round(vus + (target - vus) * i / steps);
      changes.push({ time: time + durationMs * i / steps, vus: reached });
    }
    [time, vus] = [time + durationMs, target];
  }
  return changes;
}
