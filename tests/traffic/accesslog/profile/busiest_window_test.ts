import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  busiestWindow,
  TrafficProfile,
} from "../../../../src/traffic/accesslog/profile/traffic_profile.ts";

function profileOf(seconds: readonly number[]): TrafficProfile {
  const profile = new TrafficProfile();
  for (const second of seconds) profile.seconds.add(second, 1);
  return profile;
}

Deno.test("busiestWindow returns the range with the most requests, or the first of several such ranges", () => {
  assertEquals(busiestWindow(profileOf([]), 10), undefined);
  assertEquals(busiestWindow(profileOf([100]), 10), { from: 100, to: 110, requests: 1 });
  assertEquals(busiestWindow(profileOf([100, 109, 110, 300, 301]), 10), {
    from: 100,
    to: 110,
    requests: 2,
  });
});

Deno.test("busiestWindow finds a range with as many requests as an exhaustive search does", () => {
  const seconds = fc.array(fc.integer({ min: 1_000, max: 1_200 }), { minLength: 1, maxLength: 60 });
  fc.assert(fc.property(seconds, fc.integer({ min: 1, max: 100 }), (seconds, length) => {
    const within = (from: number) =>
      seconds.filter((second) => second >= from && second < from + length).length;
    const found = busiestWindow(profileOf(seconds), length)!;
    assertEquals(found.requests, Math.max(...seconds.map(within)));
    assertEquals(found.requests, within(found.from));
    assertEquals(found.to - found.from, length);
  }));
});
