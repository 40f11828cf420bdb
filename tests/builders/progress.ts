import type { ThresholdVerdict } from "../../src/engine/summary/summary.ts";
import type { Progress, ScenarioProgress } from "../../src/engine/progress.ts";
import { BUSY } from "./summary.ts";

/** Returns the progress of a scenario that is half finished. */
export function scenarioProgress(name: string, changes: Partial<ScenarioProgress> = {}) {
  const rest = { startMs: 0, done: 0.5, vus: 12, iterations: 500, dropped: 3 };
  const scenario: ScenarioProgress = {
    name,
    executor: "constant-arrival-rate",
    state: "running",
    ...rest,
  };
  return { ...scenario, ...changes };
}

/** Returns the progress of a fictitious 90-second run after `elapsedMs` milliseconds. */
export function progressAt(elapsedMs: number, changes: Partial<Progress> = {}): Progress {
  const counts = { vus: 12, iterations: 500, dropped: 3, requests: 1_000, failed: 20, unsent: 0 };
  const received = 250_000;
  return {
    elapsedMs,
    plannedMs: 90_000,
    done: elapsedMs / 90_000,
    ...counts,
    received,
    last: BUSY.timeline[4],
    times: { p50: 4.5, p95: 21, p99: 50 },
    scenarios: [scenarioProgress("browse")],
    thresholds: BUSY.thresholds,
    ...changes,
  };
}

/** Returns the results of `count` thresholds, of which every third fails. */
export function manyThresholds(count: number): ThresholdVerdict[] {
  return Array.from({ length: count }, (_, i) => ({
    metric: `http_req_duration{name:GET /${i}}`,
    expression: "p(95)<400",
    passed: i % 3 !== 2,
    value: 100 + 150 * (i % 3),
    aborted: false,
  }));
}
