import { setImmediate } from "node:timers";
import { canStartThread, isSameClock } from "./threads.ts";

/** Timer with one deadline, which the caller can move. */
export interface Alarm {
  /**
   * Sets the deadline to `time` (`performance.now()` ms), replacing an earlier one. The alarm may
   * ring early; the caller must then set it again.
   */
  set(time: number): void;
  close(): void;
}

/**
 * Layout of the memory that this thread and the alarm thread share, 16 bytes:
 *
 * ```
 * byte  0          4          8                    16
 *       | REQUEST  | RUNG     | TIME               |
 *       | int32    | int32    | float64            |
 * ```
 *
 * - REQUEST: this thread adds 1 after it writes TIME, then notifies the alarm thread.
 * - RUNG: the alarm thread adds 1 when TIME is reached, then notifies this thread.
 * - TIME: deadline in Unix milliseconds (`threadTime`), or NaN to end the alarm thread.
 *
 * `ALARM_REQUEST` and `ALARM_RUNG` index an Int32Array, `ALARM_TIME` a Float64Array.
 */
export const ALARM_REQUEST = 0;
/** Index in an Int32Array of the ring counter. For the memory layout, see `ALARM_REQUEST`. */
export const ALARM_RUNG = 1;
/** Index in a Float64Array of the deadline. For the memory layout, see `ALARM_REQUEST`. */
export const ALARM_TIME = 1;

/**
 * Deadlines that are less than this many milliseconds away are polled with `setImmediate`. A
 * wake-up by the alarm thread would take longer, and its latency varies.
 */
const POLL_MS = 0.5;

const MODULE = new URL("./alarm_worker.ts", import.meta.url);

/**
 * Starts an alarm thread and returns a function that creates an alarm with the callback `ring`.
 * Timers of the event loop are one or two milliseconds late; `Atomics.wait` in a separate thread is
 * only 0.1 ms late. Resolves to undefined if no thread can be started.
 */
export async function startAlarm(): Promise<((ring: () => void) => Alarm) | undefined> {
  if (!await canStartThread(MODULE)) return undefined;
  const memory = new SharedArrayBuffer(16);
  return await startWorker(memory) ? (ring) => alarm(memory, ring) : undefined;
}

function alarm(memory: SharedArrayBuffer, ring: () => void): Alarm {
  const words = new Int32Array(memory);
  const times = new Float64Array(memory);
  let open = true;
  const listen = async () => {
    // The counter is read before the callback: an alarm set by the callback may ring at once.
    for (let seen = 0; open;) {
      const { async, value } = Atomics.waitAsync(words, ALARM_RUNG, seen);
      if (async) await value;
      seen = Atomics.load(words, ALARM_RUNG);
      if (open) ring();
    }
  };
  listen();
  let polling = false;
  const poll = () => {
    polling = false;
    if (open) ring();
  };
  return {
    set(time: number): void {
      if (polling) return;
      if (time - performance.now() < POLL_MS) {
        polling = true;
        setImmediate(poll);
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

/**
 * Makes the alarm thread end by itself, because a thread blocked in `Atomics.wait` cannot be
 * terminated.
 */
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
        const usable = isSameClock(data);
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
