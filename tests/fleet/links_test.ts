import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { ClockOffset } from "../../src/fleet/links.ts";

Deno.test("clock offset: the error is at most half of the shortest round trip", () => {
  const delay = fc.double({ min: 0, max: 500, noNaN: true });
  const trips = fc.array(fc.tuple(delay, delay), { minLength: 1, maxLength: 30 });
  fc.assert(fc.property(trips, fc.integer({ min: -1e6, max: 1e6 }), (trips, ahead) => {
    const offset = new ClockOffset();
    let now = 0;
    const shortest = Math.min(...trips.map(([there, back]) => there + back));
    for (const [there, back] of trips) {
      offset.add(now, now + there + back, now + there + ahead);
      now += 1_000;
    }
    const error = Math.abs(offset.toLeader(now) - (now + ahead));
    assert(error <= shortest / 2 + 1e-6);
    assertEquals(Math.abs(offset.fromLeader(offset.toLeader(now)) - now) < 1e-6, true);
  }));
});

Deno.test("clock offset: ignores impossible round trips", () => {
  const offset = new ClockOffset();
  offset.add(10, 5, 1_000);
  assertEquals(offset.count, 0);
});
