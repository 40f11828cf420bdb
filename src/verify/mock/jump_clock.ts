import { setImmediate } from "node:timers";
import type { Cancel, Clock } from "../../engine/clock/clock.ts";
import { TimerHeap } from "../../engine/clock/timer_heap.ts";

/** A simulated clock that jumps to the next timer when the event loop is idle. */
export class JumpClock implements Clock {
  readonly #heap = new TimerHeap();
  #now = 0;
  #jumping = false;

  now(): number {
    return this.#now;
  }

  at(time: number, wake: () => void): Cancel {
    const cancel = this.#heap.add(time, wake);
    this.#jumpOnceIdle();
    return cancel;
  }

  close(): void {
    this.#heap.clear();
  }

  #jumpOnceIdle(): void {
    if (this.#jumping) return;
    this.#jumping = true;
    setImmediate(() => {
      this.#jumping = false;
      const { next } = this.#heap;
      if (next === Infinity) return;
      this.#now = Math.max(this.#now, next);
      for (let wake; (wake = this.#heap.takeDue(this.#now)) !== undefined;) wake();
      this.#jumpOnceIdle();
    });
  }
}
