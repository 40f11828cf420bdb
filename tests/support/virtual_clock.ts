import { setImmediate } from "node:timers";
import { type Cancel, type Clock, TimerHeap } from "../../src/engine/vu/clock.ts";

/** Milliseconds of real time that may pass without a timer before work counts as deadlocked. */
const MAX_IDLE_MS = 60_000;

/** A clock whose time stops while code is running, and then jumps to the next timer. */
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

  /** Runs timers until `work` settles. */
  async drive<T>(work: Promise<T>): Promise<T> {
    let done = false;
    const finished = () => done = true;
    work.then(finished, finished);
    // If there are no timers, real work is pending, such as loading a module.
    let activeAt = performance.now();
    while (!done && performance.now() - activeAt < MAX_IDLE_MS) {
      await settle();
      const { next } = this.#heap;
      if (done || next === Infinity) continue;
      this.#jump(next);
      activeAt = performance.now();
    }
    if (!done) throw new Error(`deadlock: no timer is pending at ${this.#now} ms`);
    return work;
  }

  #jump(time: number): void {
    this.#now = Math.max(this.#now, time);
    for (let wake; (wake = this.#heap.takeDue(this.#now)) !== undefined;) wake();
  }
}

/** Resolves after all pending promise callbacks have run. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
