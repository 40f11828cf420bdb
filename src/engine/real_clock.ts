import type { Plan } from "../plan/schema/plan.ts";
import type { Cancel, Clock } from "./clock.ts";
import { type Alarm, startAlarm } from "./alarm.ts";
import { TimerHeap } from "./timer_heap.ts";

/** Time after which timers give way to signals and responses, though more of them are due. */
const MAX_TURN_MS = 20;

/** Real time by the system's timers, good to a few milliseconds: enough for pauses. */
export function realClock(): Clock {
  return new RealClock(timerAlarm);
}

/**
 * Real time good to a tenth of a millisecond, by a thread of its own. Where no thread can be
 * started it is `realClock`.
 */
export async function preciseClock(): Promise<Clock> {
  return new RealClock(await startAlarm() ?? timerAlarm);
}

/** The clock for playing a plan: only a schedule needs the precise one, which costs a thread. */
export function clockFor({ scenarios }: Plan): Clock | Promise<Clock> {
  const isOpen = Object.values(scenarios).some(({ executor }) =>
    executor.endsWith("-arrival-rate")
  );
  return isOpen ? preciseClock() : realClock();
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
    this.#ringsAt = -Infinity; // Whatever is woken adds without moving the alarm: it is set once, below.
    const giveWayAt = performance.now() + MAX_TURN_MS;
    for (let now = 0, wake; now < giveWayAt; wake()) {
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
