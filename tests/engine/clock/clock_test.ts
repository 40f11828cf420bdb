import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { preciseClock, realClock, sleepUntil, TimerHeap } from "../../../src/engine/vu/clock.ts";

Deno.test("timer heap: runs wake-ups in order of time, then of insertion, and skips canceled ones", () => {
  const timers = fc.array(fc.tuple(fc.nat(20), fc.boolean()), { maxLength: 60 });
  fc.assert(fc.property(timers, (list) => {
    const heap = new TimerHeap();
    const woken: number[] = [];
    const cancels = list.map(([time], i) => heap.add(time, () => woken.push(i)));
    list.forEach(([, cancelled], i) => cancelled && cancels[i]());
    const kept = [...list.keys()].filter((i) => !list[i][1])
      .sort((a, b) => list[a][0] - list[b][0] || a - b);
    assertEquals(heap.next, kept.length > 0 ? list[kept[0]][0] : Infinity);
    for (let now = 0; now <= 20; now++) {
      for (let wake; (wake = heap.takeDue(now)) !== undefined;) wake();
      assertEquals(woken, kept.filter((i) => list[i][0] <= now));
    }
  }));
});

for (const [name, start] of [["real", realClock], ["precise", preciseClock]] as const) {
  Deno.test(`${name} clock: wakes at or after the given time, unless the wake-up is canceled`, async () => {
    const clock = await start();
    const from = clock.now();
    clock.at(from + 1, () => {
      throw new Error("a canceled timer ran");
    })();
    await Promise.all([3, 1, 2].map(async (ms) => {
      await sleepUntil(clock, from + ms);
      assert(clock.now() >= from + ms);
    }));
    clock.close();
  });

  Deno.test(`${name} clock: past and imminent wake-ups fire before a later one that is already set`, async () => {
    const clock = await start();
    let isLate = false;
    const cancel = clock.at(clock.now() + 60_000, () => isLate = true);
    for (let i = 0; i < 200; i++) await sleepUntil(clock, clock.now() - 1);
    for (let i = 0; i < 50; i++) {
      const time = clock.now() + 0.05;
      await sleepUntil(clock, time);
      assert(clock.now() >= time);
    }
    assertEquals(isLate, false);
    cancel();
    clock.close();
  });
}

Deno.test("precise clock: wakes at or after the given time, even after the thread was blocked", async () => {
  const clock = await preciseClock();
  for (let i = 0; i < 4; i++) {
    const wakes = [0.3, 0.6, 20].map((ms) => {
      const time = clock.now() + ms;
      return sleepUntil(clock, time).then(() => assert(clock.now() >= time));
    });
    const blockedUntil = clock.now() + 12;
    while (clock.now() < blockedUntil);
    await Promise.all(wakes);
  }
  clock.close();
});
