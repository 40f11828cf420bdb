import { type SampleBuffer, wallTime } from "./sample.ts";
import type { CheckStats } from "../summary/flow_stats.ts";
import type { Rate } from "./metric.ts";

/** Records the results of one check. */
export class CheckSeries {
  readonly #key: Pick<CheckStats, "name" | "scenario" | "group">;
  readonly #rates: readonly Rate[];
  readonly #samples: SampleBuffer | undefined;
  #passes = 0;
  #fails = 0;

  constructor(
    key: Pick<CheckStats, "name" | "scenario" | "group">,
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
    const { name: check, scenario, group } = this.#key;
    const time = wallTime(performance.now());
    this.#samples.add({ type: "check", time, scenario, group, check, passed });
  }

  data(): CheckStats {
    return { ...this.#key, passes: this.#passes, fails: this.#fails };
  }
}
