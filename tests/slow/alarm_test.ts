import { assert } from "@std/assert";
import { AlarmMemory } from "../../src/engine/vu/alarm_memory.ts";

const MODULE = new URL("../../src/engine/vu/alarm_worker.ts", import.meta.url);

Deno.test("alarm: rings even if the notification arrives after the thread has read the new deadline", async () => {
  const memory = new AlarmMemory();
  const worker = new Worker(MODULE, { type: "module" });
  await new Promise((resolve) => {
    worker.onmessage = resolve;
    worker.postMessage(memory.buffer);
  });
  const request = (time: number) => memory.setDeadline(performance.timeOrigin + time);
  for (let i = 0; i < 20; i++) {
    const first = performance.now() + 5;
    request(first);
    memory.wakeAlarm();
    busyWaitUntil(first - 1); // The alarm thread sleeps until shortly before the first deadline.
    const second = first + 20;
    request(second);
    busyWaitUntil(first + 5); // It has read the new deadline and sleeps again.
    memory.wakeAlarm();
    await waitForRing(memory, second - 1);
  }
  request(NaN);
  memory.wakeAlarm();
  worker.terminate();
});

function busyWaitUntil(time: number): void {
  while (performance.now() < time);
}

/**
 * Waits for a ring at `time` or later. Fails after a timeout that is much longer than any expected
 * delay.
 */
async function waitForRing({ rings }: AlarmMemory, time: number): Promise<void> {
  for (let seen = Atomics.load(rings, 0); performance.now() < time;) {
    const { async, value } = Atomics.waitAsync(rings, 0, seen, 30_000);
    assert(!async || await value !== "timed-out", "the alarm did not ring");
    seen = Atomics.load(rings, 0);
  }
}
