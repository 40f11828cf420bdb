/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { ALARM_REQUEST, ALARM_RUNG, ALARM_TIME } from "./alarm.ts";
import { threadTime } from "./threads.ts";

// `Atomics.wait` wakes 50 to 100 µs late, so the last 0.1 ms before a deadline is a busy-wait.
const BUSY_WAIT_MS = 0.1;

self.onmessage = ({ data }: MessageEvent<SharedArrayBuffer>) => {
  self.postMessage(threadTime());
  keepTime(new Int32Array(data), new Float64Array(data));
};

function keepTime(words: Int32Array, times: Float64Array): void {
  for (let request = 0;;) {
    Atomics.wait(words, ALARM_REQUEST, request);
    request = Atomics.load(words, ALARM_REQUEST);
    if (Number.isNaN(times[ALARM_TIME])) return self.close();
    if (!waitUntil(times[ALARM_TIME] - performance.timeOrigin, words, request)) continue;
    Atomics.add(words, ALARM_RUNG, 1);
    Atomics.notify(words, ALARM_RUNG);
  }
}

/**
 * Waits until `time` (`performance.now()` ms) and returns true. Returns false if another deadline
 * replaces this one during the wait. For the memory layout, see `ALARM_REQUEST`.
 */
function waitUntil(time: number, words: Int32Array, request: number): boolean {
  for (let sleepMs; (sleepMs = time - performance.now() - BUSY_WAIT_MS) > 0;) {
    Atomics.wait(words, ALARM_REQUEST, request, sleepMs);
    // A wake-up does not imply a new deadline: the notify for the current one may arrive late.
    if (Atomics.load(words, ALARM_REQUEST) !== request) return false;
  }
  while (performance.now() < time) {
    if (Atomics.load(words, ALARM_REQUEST) !== request) return false;
  }
  return true;
}
