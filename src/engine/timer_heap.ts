import type { Cancel } from "./clock.ts";

interface Timer {
  readonly time: number;
  readonly order: number;
  /** Undefined once cancelled: it then leaves the heap when its time comes. */
  wake: (() => void) | undefined;
}

/** Wake-ups in order of time, those of the same time in the order in which they were asked for. */
export class TimerHeap {
  readonly #heap: Timer[] = [];
  #order = 0;

  /** The earliest time, or Infinity. */
  get next(): number {
    while (this.#heap.length > 0 && this.#heap[0].wake === undefined) this.#pop();
    return this.#heap.length > 0 ? this.#heap[0].time : Infinity;
  }

  /** Adds a wake-up. */
  add(time: number, wake: () => void): Cancel {
    const timer: Timer = { time, order: this.#order++, wake };
    let at = this.#heap.push(timer) - 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isBefore(timer, this.#heap[parent])) break;
      this.#heap[at] = this.#heap[parent];
      at = parent;
    }
    this.#heap[at] = timer;
    return () => timer.wake = undefined;
  }

  /** Takes the earliest out, if it is due at `now`, and gives its wake-up. */
  takeDue(now: number): (() => void) | undefined {
    return this.next <= now ? this.#pop().wake : undefined;
  }

  /** Forgets all. */
  clear(): void {
    this.#heap.length = 0;
  }

  #pop(): Timer {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop()!;
    if (heap.length === 0) return first;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (!isBefore(heap[child], last)) break;
      heap[at] = heap[child];
      at = child;
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.time < b.time || (a.time === b.time && a.order < b.order);
}
