/// <reference no-default-lib="true" />
/// <reference lib="deno.worker" />
import { ASKED, RUNG, TIME } from "./alarm.ts";
import { threadTime } from "./thread_time.ts";

// A thread that sleeps is woken 50 to 100 µs late, so the last stretch is spent awake.
const AWAKE_MS = 0.1;

self.onmessage = ({ data }: MessageEvent<SharedArrayBuffer>) => {
  self.postMessage(threadTime());
  keepTime(new Int32Array(data), new Float64Array(data));
};

function keepTime(words: Int32Array, times: Float64Array): void {
  for (let asked = 0;;) {
    Atomics.wait(words, ASKED, asked);
    asked = Atomics.load(words, ASKED);
    if (Number.isNaN(times[TIME])) return self.close();
    if (!waitUntil(times[TIME] - performance.timeOrigin, words, asked)) continue;
    Atomics.add(words, RUNG, 1);
    Atomics.notify(words, RUNG);
  }
}

/** False when another time was asked for meanwhile. */
function waitUntil(time: number, words: Int32Array, asked: number): boolean {
  for (let asleep; (asleep = time - performance.now() - AWAKE_MS) > 0;) {
    Atomics.wait(words, ASKED, asked, asleep);
    // Woken is not asked: the notice of the very time that is waited for may come only now.
    if (Atomics.load(words, ASKED) !== asked) return false;
  }
  while (performance.now() < time) {
    if (Atomics.load(words, ASKED) !== asked) return false;
  }
  return true;
}
