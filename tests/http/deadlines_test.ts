import { assertEquals } from "@std/assert";
import { Deadlines, type Expiring } from "../../src/http/network_session.ts";

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

Deno.test("deadlines: an operation expires once and never early; without a deadline, it never expires", async () => {
  const all = Array.from({ length: 20 }, () => new Watched());
  const deadlines = new Deadlines(all);
  const start = performance.now();
  const done = all.slice(0, 10).map((one, i) => {
    const { promise, resolve } = Promise.withResolvers<number>();
    one.onExpire = () => resolve(performance.now());
    // Sets the latest deadline first, so that the timer must be rescheduled.
    one.deadline = start + 50 - i * 4;
    deadlines.announce(one.deadline);
    const deadline = one.deadline;
    return promise.then((at) => at - deadline);
  });
  // Keeps the test running, because the timer of `Deadlines` does not.
  const alive = setTimeout(() => {}, 60_000);
  const late = await Promise.all(done);
  clearTimeout(alive);
  deadlines.stop();
  assertEquals(late.filter((ms) => ms < 0), []);
  assertEquals(all.map(({ expired }) => expired), [...Array(10).fill(1), ...Array(10).fill(0)]);
});
