import { type SampleBuffer, wallTime } from "./sample.ts";
import type { CheckStats } from "../summary/flow_stats.ts";
import type { Rate } from "./metric.ts";

/** Numbers of passes and failures of a check of one request. */
export interface CheckData {
  readonly name: string;
  readonly scenario: string;
  /** Path of the group, such as `::outer::inner`; empty outside of groups. */
  readonly group: string;
  /**
   * Name of the request. Absent if the counts come from a summary written by an older version of
   * rehearse. In that case, they are the counts of all requests that have the check.
   */
  readonly request?: string;
  readonly passes: number;
  readonly fails: number;
}

/** Identifies a check: its name, and the request, group and scenario it belongs to. */
type CheckKey = Omit<CheckData, "passes" | "fails"> & { readonly request: string };

/** Records the results of one check of one request. */
export class CheckSeries {
  readonly #key: CheckKey;
  readonly #rates: readonly Rate[];
  readonly #samples: SampleBuffer | undefined;
  #passes = 0;
  #fails = 0;

  constructor(
    key: CheckKey,
    rates: readonly Rate[],
    samples?: SampleBuffer,
  ) {
    this.#samples = samples;
    this.#key = key;
    this.#rates = rates;
  }

  record(passed: boolean): void {
    for (const rate of this.#rates) rate.add(passed);
    if (passed) this.#passes++;
    else this.#fails++;
    if (this.#samples === undefined) return;
    const { name: check, scenario, group, request: name } = this.#key;
    const time = wallTime(performance.now());
    this.#samples.add({ type: "check", time, scenario, group, name, check, passed });
  }

  data(): CheckData {
    return { ...this.#key, passes: this.#passes, fails: this.#fails };
  }
}

/**
 * Adds up the results of checks with the same name, scenario and group, across all requests. Also
 * lists the results of each request in `requests`, unless the request of a result is unknown.
 */
export function groupChecks(checks: readonly CheckData[]): CheckStats[] {
  const groups = Map.groupBy(
    checks,
    ({ scenario, group, name }) => JSON.stringify([scenario, group, name]),
  );
  return [...groups.values()].map((results): CheckStats => {
    const [{ name, scenario, group }] = results;
    const requests = results.flatMap(({ request, passes, fails }) =>
      request === undefined ? [] : [{ name: request, passes, fails }]
    );
    return {
      name,
      scenario,
      group,
      passes: results.reduce((sum, { passes }) => sum + passes, 0),
      fails: results.reduce((sum, { fails }) => sum + fails, 0),
      ...(requests.length === results.length && { requests }),
    };
  });
}

/**
 * Returns the results of each check for each request. A check whose requests are unknown has one
 * result, without `request`.
 */
export function ungroupChecks(checks: readonly CheckStats[]): CheckData[] {
  return checks.flatMap(({ requests, ...check }): CheckData[] =>
    requests?.map(({ name: request, passes, fails }) => ({ ...check, request, passes, fails })) ??
      [check]
  );
}
