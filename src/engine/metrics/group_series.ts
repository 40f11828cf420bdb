import { Histogram } from "../../base/histogram.ts";
import type { GroupData } from "./snapshot.ts";

/** Records the durations of a group. */
export class GroupSeries {
  readonly #scenario: string;
  readonly #group: string;
  readonly #durations = new Histogram();

  constructor(scenario: string, group: string) {
    this.#scenario = scenario;
    this.#group = group;
  }

  /** Records a complete run of the group's steps, which took `ms` milliseconds. */
  add(ms: number): void {
    this.#durations.record(ms * 1_000 + 0.5);
  }

  /** Returns the durations as plain data. */
  data(): GroupData {
    return { scenario: this.#scenario, group: this.#group, histogram: this.#durations.data() };
  }
}
