import { assert } from "@std/assert";
import { ALARM_REQUEST, ALARM_RUNG, ALARM_TIME } from "../../src/engine/alarm.ts";

const MODULE = new URL("../../src/engine/alarm_worker.ts", import.meta.url);

Deno.test("an alarm rings also when the thread that set it was held up before it could tell so", async () => {
  const memory = new SharedArrayBuffer(16);
  const words = new Int32Array(memory);
  const times = new Float64Array(memory);
  const worker = new Worker(MODULE, { type: "module" });
  await new Promise((resolve) => {
    worker.onmessage = resolve;
    worker.postMessage(memory);
  });
  const ask = (time: number) => {
    times[ALARM_TIME] = performance.timeOrigin + time;
    Atomics.add(words, ALARM_REQUEST, 1);
  };
  for (let i = 0; i < 20; i++) {
    const first = performance.now() + 5;
    ask(first);
    Atomics.notify(words, ALARM_REQUEST);
    stayBusyUntil(first - 0.04); // The other thread is awake by now.
    const second = first + 20;
    ask(second);
    stayBusyUntil(first + 5); // It has seen the new time, and sleeps until then.
    Atomics.notify(words, ALARM_REQUEST);
    await rung(words, second);
  }
  ask(NaN);
  Atomics.notify(words, ALARM_REQUEST);
  worker.terminate();
});

function stayBusyUntil(time: number): void {
  while (performance.now() < time);
}

/** Waits for a ring at `time` or later; far longer than one could be late. */
async function rung(words: Int32Array, time: number): Promise<void> {
  for (let seen = Atomics.load(words, ALARM_RUNG); performance.now() < time;) {
    const { async, value } = Atomics.waitAsync(words, ALARM_RUNG, seen, 30_000);
    assert(!async || await value !== "timed-out", "it never rang");
    seen = Atomics.load(words, ALARM_RUNG);
  }
}
