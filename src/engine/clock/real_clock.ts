import type { Cancel, Clock } from "./clock.ts";
import { type Alarm, startAlarm } from "./alarm.ts";
import { TimerHeap } from "./timer_heap.ts";

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
