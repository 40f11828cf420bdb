import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Summary } from "../../../src/engine/summary/summary.ts";
import {
  PollPolicy,
  preciseClock,
  realClock,
  sleepUntil,
  TimerHeap,
} from "../../../src/engine/vu/clock.ts";
import type { Plan } from "../../../src/plan/schema/plan.ts";
import {
  runInVirtualTime,
  scenarioOf,
  singleScenarioPlan,
} from "../../support/run_in_virtual_time.ts";

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

Deno.test("poll policy: polling stops for 10 s after three stalls within a second, and for twice as long the next time", () => {
  const policy = new PollPolicy();
  const stallThrice = (at: number) => {
    for (const start of [at, at + 100, at + 200]) policy.turn(start, start + 50);
    return at + 250;
  };
  assertEquals(policy.horizonMs(0), 1);
  let end = stallThrice(0);
  assertEquals([end, end + 9_999, end + 10_000].map((now) => policy.horizonMs(now)), [0, 0, 1]);
  end = stallThrice(60_000);
  assertEquals([end, end + 19_999, end + 20_000].map((now) => policy.horizonMs(now)), [0, 0, 1]);
});

Deno.test("poll policy: polling continues if stalls are shorter than 10 ms or at least a second apart", () => {
  const turns = fc.array(
    fc.oneof(
      fc.record({ gap: fc.constant(0), length: fc.double({ min: 0, max: 9, noNaN: true }) }),
      fc.record({
        gap: fc.integer({ min: 1_000, max: 5_000 }),
        length: fc.integer({ min: 10, max: 500 }),
      }),
    ),
    { maxLength: 100 },
  );
  fc.assert(fc.property(turns, (list) => {
    const policy = new PollPolicy();
    let now = 0;
    for (const { gap, length } of list) {
      now += gap;
      policy.turn(now, now += length);
      assertEquals(policy.horizonMs(now), 1);
    }
  }));
});

const HOUR = 3_600_000;
const PLAN: Plan = singleScenarioPlan(
  scenarioOf("constant-arrival-rate, rate: 10, duration: 5, pre_allocated_vus: 4", [{
    request: { url: "/" },
  }, { think_time: "300ms" }]),
);

Deno.test("clock: ignores changes to the system clock during a run", async () => {
  const { summary } = await runInVirtualTime(PLAN);
  const stepped = await steppingClock(async () => (await runInVirtualTime(PLAN)).summary);
  assertEquals(withoutStart(stepped), withoutStart(summary));
});

async function steppingClock<T>(work: () => Promise<T>): Promise<T> {
  const { now } = Date;
  let calls = 0;
  Date.now = () => now() + (calls++ % 3 - 1) * HOUR;
  try {
    return await work();
  } finally {
    Date.now = now;
  }
}

function withoutStart(summary: Summary): Summary {
  const shards = summary.shards.map((shard) => ({ ...shard, started_at: "" }));
  return { ...summary, started_at: "", shards };
}
