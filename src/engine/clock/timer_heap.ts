import type { Cancel } from "./clock.ts";

interface Timer {
  readonly time: number;
  readonly order: number;
  /**
   * Function to call, or undefined if the timer was canceled. A canceled timer stays in the heap
   * until no earlier timer is left.
   */
  wake: (() => void) | undefined;
}

/**
 * Queue of wake-ups, ordered by time. Wake-ups with equal times keep the order in which they were
 * added.
 */
export class TimerHeap {
  readonly #heap: Timer[] = [];
  #order = 0;

  /** Time of the earliest wake-up, or Infinity if the queue is empty. */
  get next(): number {
    while (this.#heap.length > 0 && this.#heap[0].wake === undefined) this.#pop();
    return this.#heap.length > 0 ? this.#heap[0].time : Infinity;
  }

  /** Adds a wake-up and returns a function that cancels it. */
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

  /**
   * Removes and returns the earliest wake-up if it is due at `now`. Otherwise, returns undefined.
   */
  takeDue(now: number): (() => void) | undefined {
    return this.next <= now ? this.#pop().wake : undefined;
  }

  /** Removes all wake-ups. */
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
