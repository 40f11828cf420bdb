import type { LogCollector } from "./collect/collector.ts";
import type { SliceCounters } from "./slices.ts";

/**
 * Passes the records of each slice, in log order, to the collectors that depend on the order of the
 * log.
 */
export class SliceMerger {
  readonly #collectors: readonly LogCollector[];
  readonly #counters: SliceCounters;
  readonly #waiting = new Map<number, { thread: number; records: readonly unknown[] }>();
  #next = 0;

  /** Creates a merger for collectors that have a recorder in each thread. */
  constructor(collectors: readonly LogCollector[], counters: SliceCounters) {
    this.#collectors = collectors;
    this.#counters = counters;
  }

  /** Reports whether the records of a slice were added. */
  has(slice: number): boolean {
    return slice < this.#next || this.#waiting.has(slice);
  }

  /**
   * Adds the records of a slice: one result of `SliceRecorder.take` for each collector. `thread` is
   * the number of the thread that recorded them.
   */
  add(slice: number, thread: number, records: readonly unknown[]): void {
    this.#waiting.set(slice, { thread, records });
    for (let next; (next = this.#waiting.get(this.#next)) !== undefined;) {
      for (const [i, collector] of this.#collectors.entries()) {
        collector.append!(next.records[i], next.thread);
      }
      this.#waiting.delete(this.#next++);
    }
    this.#counters.setMerged(this.#next);
  }
}
