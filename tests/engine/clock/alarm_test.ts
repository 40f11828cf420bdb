import { assert } from "@std/assert";
import { ALARM_REQUEST, ALARM_RUNG, ALARM_TIME } from "../../../src/engine/clock/alarm.ts";

const MODULE = new URL("../../../src/engine/clock/alarm_worker.ts", import.meta.url);

Deno.test("an alarm rings if its notification is delayed until the other thread has seen the new time", async () => {
  const memory = new SharedArrayBuffer(16);
  const words = new Int32Array(memory);
  const times = new Float64Array(memory);
  const worker = new Worker(MODULE, { type: "module" });
  await new Promise((resolve) => {
    worker.onmessage = resolve;
    worker.postMessage(memory);
  });
  const request = (time: number) => {
    times[ALARM_TIME] = performance.timeOrigin + time;
    Atomics.add(words, ALARM_REQUEST, 1);
  };
  for (let i = 0; i < 20; i++) {
    const first = performance.now() + 5;
    request(first);
    Atomics.notify(words, ALARM_REQUEST);
    busyWaitUntil(first - 0.04); // The alarm thread is in its busy-wait.
    const second = first + 20;
    request(second);
    busyWaitUntil(first + 5); // It has read the new deadline and sleeps until then.
    Atomics.notify(words, ALARM_REQUEST);
    await waitForRing(words, second);
  }
  request(NaN);
  Atomics.notify(words, ALARM_REQUEST);
  worker.terminate();
});

function busyWaitUntil(time: number): void {
  while (performance.now() < time);
}

/** Waits for a ring at `time` or later. The timeout is far longer than any delay. */
async function waitForRing(words: Int32Array, time: number): Promise<void> {
  for (let seen = Atomics.load(words, ALARM_RUNG); performance.now() < time;) {
    const { async, value } = Atomics.waitAsync(words, ALARM_RUNG, seen, 30_000);
    assert(!async || await value !== "timed-out", "it never rang");
    seen = Atomics.load(words, ALARM_RUNG);
  }
}
