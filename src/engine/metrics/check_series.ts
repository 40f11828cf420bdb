import type { CheckFigures } from "../summary.ts";
import type { Rate } from "./metric.ts";

/** The results of one check. */
export class CheckSeries {
  readonly #key: Pick<CheckFigures, "name" | "scenario" | "group">;
  readonly #rates: readonly Rate[];
  #passes = 0;
  #fails = 0;

  constructor(key: Pick<CheckFigures, "name" | "scenario" | "group">, rates: readonly Rate[]) {
    this.#key = key;
    this.#rates = rates;
  }

  record(passed: boolean): void {
    for (const rate of this.#rates) rate.add(passed);
    if (passed) this.#passes++;
    else this.#fails++;
  }

  data(): CheckFigures {
    return { ...this.#key, passes: this.#passes, fails: this.#fails };
  }
}
