import { type Alarm, startAlarm } from "./alarm.ts";

/** Cancels a scheduled wake-up. Does nothing if the wake-up has already happened. */
export type Cancel = () => void;

/** Source of time for the engine: real time, or virtual time in tests. */
export interface Clock {
  /** Returns the current time in milliseconds. The real clock returns `performance.now()`. */
  now(): number;
  /**
   * Calls `wake` once, at `time` or as soon as possible after it. Returns a function that cancels
   * the call.
   */
  at(time: number, wake: () => void): Cancel;
  /** Releases resources and cancels all wake-ups. */
  close(): void;
}

/** Returns a promise that resolves when `clock` reaches `time`. */
export function sleepUntil(clock: Clock, time: number): Promise<void> {
  return new Promise((resolve) => clock.at(time, resolve));
}

/**
 * Maximum time in ms that the clock spends on due wake-ups before it yields to the event loop, so
 * that signals and responses are handled.
 */
const MAX_TURN_MS = 20;

/**
 * Returns a clock that uses the timers of the event loop. It is accurate to a few milliseconds,
 * which is enough for pauses.
 */
export function realClock(): Clock {
  return new RealClock(timerAlarm);
}

/**
 * Starts a separate thread and returns a clock that is accurate to 0.1 ms. If `startAlarm` resolves
 * to undefined, the clock is only as accurate as `realClock()`.
 */
export async function preciseClock(): Promise<Clock> {
  return new RealClock(await startAlarm() ?? timerAlarm);
}

class RealClock implements Clock {
  readonly #heap = new TimerHeap();
  readonly #alarm: Alarm;
  #ringsAt = Infinity;

  constructor(alarm: (ring: () => void) => Alarm) {
    this.#alarm = alarm(() => this.#ring());
  }

  now(): number {
    return performance.now();
  }

  at(time: number, wake: () => void): Cancel {
    const cancel = this.#heap.add(time, wake);
    if (time < this.#ringsAt) this.#set(time);
    return cancel;
  }

  close(): void {
    this.#heap.clear();
    this.#alarm.close();
  }

  #ring(): void {
    this.#ringsAt = -Infinity; // Wake-ups that add timers do not move the alarm: it is set once, below.
    const yieldAt = performance.now() + MAX_TURN_MS;
    for (let now = 0, wake; now < yieldAt; wake()) {
      now = performance.now();
      wake = this.#heap.takeDue(now);
      if (wake === undefined) break;
    }
    this.#ringsAt = Infinity;
    const { next } = this.#heap;
    if (next < Infinity) this.#set(next);
  }

  #set(time: number): void {
    this.#ringsAt = time;
    this.#alarm.set(time);
  }
}

function timerAlarm(ring: () => void): Alarm {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return {
    set(time: number): void {
      clearTimeout(timer);
      timer = setTimeout(ring, Math.max(0, time - performance.now()));
    },
    close: () => clearTimeout(timer),
  };
}

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
