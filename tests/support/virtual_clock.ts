import { setImmediate } from "node:timers";
import type { Cancel, Clock } from "../../src/engine/clock.ts";
import { TimerHeap } from "../../src/engine/timer_heap.ts";

/** Time that stands still while anything is being done, and then jumps to whatever is next. */
export class VirtualClock implements Clock {
  readonly #heap = new TimerHeap();
  #now = 0;

  now(): number {
    return this.#now;
  }

  at(time: number, wake: () => void): Cancel {
    return this.#heap.add(time, wake);
  }

  close(): void {
    this.#heap.clear();
  }

  /** Lets time pass until `work` is done. */
  async drive<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const finished = () => done = true;
    work.then(finished, finished);
    for (let idle = 0; !done && idle < 10_000;) {
      await settle();
      const { next } = this.#heap;
      // With nothing to wait for, something real is awaited: a module that is being loaded.
      if (done || next === Infinity) idle++;
      else this.#jump(next);
    }
    if (!done) throw new Error(`nothing happens any more at ${this.#now} ms`);
    return work;
  }

  #jump(time: number): void {
    this.#now = Math.max(this.#now, time);
    for (let wake; (wake = this.#heap.takeDue(this.#now)) !== undefined;) wake();
  }
}

/** Until every promise that can has been resolved. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
