/**
 * Version of the summary's JSON format. It increases when a key is removed or its meaning changes.
 */
export const SUMMARY_SCHEMA = 3;

/**
 * Reasons why a run ended. `finished`: it completed. `interrupted`: the user stopped it, for
 * example with Ctrl-C. `threshold`: a threshold with `abort_on_fail` failed. `assertion`: an
 * assertion with `abort_test` failed. `lost`: the leader of a fleet lost contact with the shard.
 */
export const ENDINGS = ["finished", "interrupted", "threshold", "assertion", "lost"] as const;

/**
 * Reasons why a scenario ended, worst first. `aborted`: an assertion with `abort_scenario` failed.
 * `stopped`: the whole run was stopped. `time`: its time ran out before all planned iterations
 * started. `data`: no rows were left. `finished`: it completed.
 */
export const SCENARIO_ENDS = ["aborted", "stopped", "time", "data", "finished"] as const;

/** Reason why a scenario ended. */
export type ScenarioEnd = typeof SCENARIO_ENDS[number];

export function worstEnd(
  ...ends: readonly (ScenarioEnd | null | undefined)[]
): ScenarioEnd | undefined {
  return SCENARIO_ENDS.find((end) => ends.includes(end));
}

/** Reason why a run ended. */
export type Ending = typeof ENDINGS[number];

/** Reasons why summaries do not form one run, as `merge --allow` accepts them. */
export const MERGE_FLAWS = [
  "missing",
  "interrupted",
  "aborted",
  "lost",
  "shifted",
] as const;

/** Reason why a set of summaries does not form one complete run. */
export type MergeFlaw = typeof MERGE_FLAWS[number];

/**
 * Reasons why a run failed as a whole, regardless of its thresholds. Reports print these strings
 * unchanged. Only `run --once` can fail with `a request failed`, and only `run --fleet` with
 * `shards were lost`.
 */
export const RUN_FAILURES = [
  "no request got a response",
  "a request failed",
  "shards were lost",
  "the teardown failed",
] as const;

/** Reason why a run failed as a whole. */
export type RunFailure = typeof RUN_FAILURES[number];

/** Percentiles of `http_req_duration` that a timeline point contains, by key. */
export const PERCENTILES = { p50: 50, p95: 95, p99: 99 } as const;

/** Key of a percentile in a timeline point. */
export type PercentileKey = keyof typeof PERCENTILES;

/** Calls `read` for each percentile of a timeline point. Returns the results by key. */
export function mapPercentiles<T>(
  read: (percent: number, key: PercentileKey) => T,
): Record<PercentileKey, T> {
  const keys = Object.keys(PERCENTILES) as PercentileKey[];
  return Object.fromEntries(keys.map((key) => [key, read(PERCENTILES[key], key)])) as Record<
    PercentileKey,
    T
  >;
}
