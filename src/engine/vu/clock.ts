import { setImmediate } from "node:timers";
import { checkThreadTime, mayStartThread, startThread } from "../../base/start_thread.ts";
import { AlarmMemory, LEAD_MS } from "./alarm_memory.ts";

/** Cancels a scheduled wake-up. Does nothing if the wake-up has already happened. */
export type Cancel = () => void;

/** Source of time for the engine: real time, or virtual time in tests. */
export interface Clock {
  now(): number;
  /** Calls `wake` once, at `time` or later. Returns a function that cancels this. */
  at(time: number, wake: () => void): Cancel;
  close(): void;
}

/** Returns a promise that resolves when `clock` reaches `time`. */
export function sleepUntil(clock: Clock, time: number): Promise<void> {
  return new Promise((resolve) => clock.at(time, resolve));
}

/** Maximum time in ms for due wake-ups before signals and responses are handled. */
const MAX_TURN_MS = 20;

/** Returns a clock that is accurate to a few milliseconds, which is enough for pauses. */
export function realClock(): Clock {
  return new RealClock(timerAlarm);
}

/** Starts a thread, if possible, and returns a clock that is accurate to 0.1 ms. */
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
    // If wake-ups that become due meanwhile ran too, a slow machine would never read a response.
    const dueBy = performance.now();
    for (let now = dueBy; now < dueBy + MAX_TURN_MS; now = performance.now()) {
      const wake = this.#heap.takeDue(dueBy);
      if (wake === undefined) break;
      wake();
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
  /** Undefined if the timer was canceled, which stays in the heap. */
  wake: (() => void) | undefined;
}

/** Queue of wake-ups by time, and by order if times are equal. */
export class TimerHeap {
  readonly #heap: Timer[] = [];
  #order = 0;

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

/** Timer with a single deadline, which can be moved. */
export interface Alarm {
  /** Replaces the deadline (`performance.now()` ms). The alarm may ring early. */
  set(time: number): void;
  close(): void;
}

const THREAD: URL | string = new URL("./alarm_worker.ts", import.meta.url);

/**
 * Starts an alarm thread. Resolves to a function that creates an alarm with the callback `ring`, or
 * to undefined if a checkout may not start threads. Rejects with RunError if the thread cannot be
 * loaded, or uses a different time scale. Event-loop timers fire one or two
 * milliseconds late, whereas a thread that waits in `Atomics.wait` wakes only 0.1 ms late. The
 * alarm thread therefore rings 0.2 ms before the deadline, and the calling thread polls until the
 * deadline. If the deadline is less than 1 ms away, the calling thread polls from the start.
 * Polling yields to the event loop at once, because the loop polls sockets only every 61 turns:
 * with 10 µs in each turn, responses were read 0.4 ms late on average.
 */
async function startAlarm(): Promise<((ring: () => void) => Alarm) | undefined> {
  if (!mayStartThread(THREAD)) return undefined;
  const memory = new AlarmMemory();
  await startWorker(memory);
  return (ring) => alarm(memory, ring);
}

function alarm(memory: AlarmMemory, ring: () => void): Alarm {
  let open = true;
  const listen = async () => {
    // Reads the counter before the callback, because an alarm that the callback sets may ring at
    // once.
    for (let seen = 0; open;) {
      const { async, value } = Atomics.waitAsync(memory.rings, 0, seen);
      if (async) await value;
      seen = Atomics.load(memory.rings, 0);
      if (open) ring();
    }
  };
  listen();
  const policy = new PollPolicy();
  let polling = false;
  let polledFrom = 0;
  let deadline = 0;
  const poll = () => {
    policy.turn(polledFrom, performance.now());
    polling = false;
    if (open) ring();
  };
  return {
    set(time: number): void {
      if (polling) {
        deadline = Math.min(deadline, time);
        return;
      }
      const now = performance.now();
      const horizonMs = policy.horizonMs(now);
      if (time - now < horizonMs) {
        polling = true;
        polledFrom = now;
        deadline = time;
        setImmediate(poll);
        return;
      }
      // A thread that must not poll wakes up at the deadline instead of shortly before it.
      const leadMs = horizonMs === 0 ? LEAD_MS : 0;
      memory.setDeadline(performance.timeOrigin + time + leadMs);
      memory.wakeAlarm();
    },
    close(): void {
      open = false;
      memory.wakeUser();
      endThread(memory);
    },
  };
}

/** Ends the alarm thread, which cannot be terminated while it waits. */
function endThread(memory: AlarmMemory): void {
  memory.setDeadline(NaN);
  memory.wakeAlarm();
}

async function startWorker(memory: AlarmMemory): Promise<void> {
  const { promise: started, resolve, reject } = Promise.withResolvers<number>();
  const worker = startThread("alarm", THREAD, reject);
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage(memory.buffer);
  try {
    checkThreadTime(await started);
  } catch (error) {
    endThread(memory);
    throw error;
  }
}

/** Number of milliseconds before a deadline at which a thread starts to poll. */
const POLL_MS = 1;
/** Minimum duration, in milliseconds, of an event loop turn that counts as a stall. */
const STALL_MS = 10;
/** Number of stalls within `WINDOW_MS` after which a thread stops polling. */
const MAX_STALLS = 3;
const WINDOW_MS = 1_000;
/** First time in ms without polling after stalls. Each later one is twice as long. */
const FIRST_REST_MS = 10_000;

/**
 * Decides how early a thread starts to poll for a deadline.
 *
 * A core that has been idle takes up to several milliseconds to wake up on a virtual machine, so
 * polling makes starts punctual. In a container whose CPU time is limited, however, polling uses up
 * the CPU time, and the kernel then suspends the thread for tens of milliseconds. If that happens
 * several times within a second, the thread stops polling for some time.
 */
export class PollPolicy {
  #stalls = 0;
  #firstStallAt = -Infinity;
  #restMs = FIRST_REST_MS;
  #restsUntil = -Infinity;

  horizonMs(now: number): number {
    return now < this.#restsUntil ? 0 : POLL_MS;
  }

  turn(from: number, now: number): void {
    if (now - from < STALL_MS) return;
    if (now - this.#firstStallAt >= WINDOW_MS) {
      this.#firstStallAt = now;
      this.#stalls = 0;
    }
    if (++this.#stalls < MAX_STALLS) return;
    this.#stalls = 0;
    this.#restsUntil = now + this.#restMs;
    this.#restMs *= 2;
  }
}
