/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { ALARM_REQUEST, ALARM_RUNG, ALARM_TIME } from "./alarm.ts";
import { threadTime } from "./thread_time.ts";

// A thread that sleeps is woken 50 to 100 µs late, so the last stretch is spent awake.
const AWAKE_MS = 0.1;

self.onmessage = ({ data }: MessageEvent<SharedArrayBuffer>) => {
  self.postMessage(threadTime());
  keepTime(new Int32Array(data), new Float64Array(data));
};

function keepTime(words: Int32Array, times: Float64Array): void {
  for (let asked = 0;;) {
    Atomics.wait(words, ALARM_REQUEST, asked);
    asked = Atomics.load(words, ALARM_REQUEST);
    if (Number.isNaN(times[ALARM_TIME])) return self.close();
    if (!waitUntil(times[ALARM_TIME] - performance.timeOrigin, words, asked)) continue;
    Atomics.add(words, ALARM_RUNG, 1);
    Atomics.notify(words, ALARM_RUNG);
  }
}

/** False when another time was asked for meanwhile. */
function waitUntil(time: number, words: Int32Array, asked: number): boolean {
  for (let asleep; (asleep = time - performance.now() - AWAKE_MS) > 0;) {
    Atomics.wait(words, ALARM_REQUEST, asked, asleep);
    // Woken is not asked: the notice of the very time that is waited for may come only now.
    if (Atomics.load(words, ALARM_REQUEST) !== asked) return false;
  }
  while (performance.now() < time) {
    if (Atomics.load(words, ALARM_REQUEST) !== asked) return false;
  }
  return true;
}
