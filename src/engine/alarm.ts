import { setImmediate } from "node:timers";
import { mayStart } from "./may_start.ts";
import { countsAlike } from "./thread_time.ts";

/** Calls back at a time that can be moved; one at a time. */
export interface Alarm {
  /**
   * Rings at `time` (`performance.now()` ms) instead of when it was told before, or early; then it must
   * be told again.
   */
  set(time: number): void;
  close(): void;
}

/**
 * Rises when a time is asked for. This and the next two are places in the memory that both threads
 * see: 32-bit words, but `ALARM_TIME`, which is a float64.
 */
export const ALARM_REQUEST = 0;
/** Rises when the other thread rings. */
export const ALARM_RUNG = 1;
/** When it is to ring. */
export const ALARM_TIME = 1;

/** From so near on this thread stays awake: to be woken would take it too long, and too unevenly. */
const NEAR_MS = 0.5;

const MODULE = new URL("./alarm_worker.ts", import.meta.url);

/**
 * Starts a thread that wakes this one at given times. Timers of the event loop miss a time by one or
 * two milliseconds; `Atomics.wait` in a thread of its own misses it by a tenth. Gives undefined where
 * no thread can be started.
 */
export async function startAlarm(): Promise<((ring: () => void) => Alarm) | undefined> {
  if (!await mayStart(MODULE)) return undefined;
  const memory = new SharedArrayBuffer(16);
  return await startWorker(memory) ? (ring) => alarm(memory, ring) : undefined;
}

function alarm(memory: SharedArrayBuffer, ring: () => void): Alarm {
  const words = new Int32Array(memory);
  const times = new Float64Array(memory);
  let open = true;
  const listen = async () => {
    // What was seen is read before ringing: an alarm that is set meanwhile may ring at once.
    for (let seen = 0; open;) {
      const { async, value } = Atomics.waitAsync(words, ALARM_RUNG, seen);
      if (async) await value;
      seen = Atomics.load(words, ALARM_RUNG);
      if (open) ring();
    }
  };
  listen();
  let turning = false;
  const turn = () => {
    turning = false;
    if (open) ring();
  };
  return {
    set(time: number): void {
      if (turning) return;
      if (time - performance.now() < NEAR_MS) {
        turning = true;
        setImmediate(turn);
        return;
      }
      times[ALARM_TIME] = performance.timeOrigin + time;
      Atomics.add(words, ALARM_REQUEST, 1);
      Atomics.notify(words, ALARM_REQUEST);
    },
    close(): void {
      open = false;
      Atomics.notify(words, ALARM_RUNG);
      end(memory);
    },
  };
}

/** A thread that is asleep cannot be terminated: it is told to end by itself. */
function end(memory: SharedArrayBuffer): void {
  const words = new Int32Array(memory);
  new Float64Array(memory)[ALARM_TIME] = NaN;
  Atomics.add(words, ALARM_REQUEST, 1);
  Atomics.notify(words, ALARM_REQUEST);
}

function startWorker(memory: SharedArrayBuffer): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const worker = new Worker(MODULE, { type: "module" });
      worker.onmessage = ({ data }) => {
        const usable = countsAlike(data);
        if (!usable) end(memory);
        resolve(usable);
      };
      worker.onerror = (event) => {
        event.preventDefault();
        resolve(false);
      };
      worker.postMessage(memory);
    } catch {
      resolve(false);
    }
  });
}
