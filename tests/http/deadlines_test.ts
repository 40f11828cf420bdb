import { assertEquals } from "@std/assert";
import { Deadlines, type Expiring } from "../../src/http/deadlines.ts";

/** Operation that counts how often it expires. */
class Watched implements Expiring {
  deadline = Infinity;
  expired = 0;
  expire(): void {
    this.deadline = Infinity;
    this.expired++;
    this.onExpire();
  }
  onExpire: () => void = () => {};
}

Deno.test("deadlines: expire once and never early; items without a deadline never expire", async () => {
  const all = Array.from({ length: 20 }, () => new Watched());
  const deadlines = new Deadlines(all);
  const start = performance.now();
  const done = all.slice(0, 10).map((one, i) => {
    const { promise, resolve } = Promise.withResolvers<number>();
    one.onExpire = () => resolve(performance.now());
    // The latest first, so that the timer must be rescheduled.
    one.deadline = start + 50 - i * 4;
    deadlines.announce(one.deadline);
    const deadline = one.deadline;
    return promise.then((at) => at - deadline);
  });
  // A referenced timer keeps the test running: the timer of the deadlines is unreferenced.
  const alive = setTimeout(() => {}, 5_000);
  const late = await Promise.all(done);
  clearTimeout(alive);
  deadlines.stop();
  assertEquals(late.filter((ms) => ms < 0), []);
  assertEquals(all.map(({ expired }) => expired), [...Array(10).fill(1), ...Array(10).fill(0)]);
});
