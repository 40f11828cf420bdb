import { assertEquals } from "@std/assert";
import { newResponse } from "../../src/http/sender.ts";
import { Patience, RateLimitWaits } from "../../src/calibrate/rate_limit.ts";

/**
 * Simulates attempts to open a WebSocket that get responses with `statuses`. Returns whether the
 * calibration waits after each response, and whether it ends.
 */
async function open(statuses: readonly number[]): Promise<[waited: boolean[], ends: boolean]> {
  const waiting = { now: () => 0, sleep: () => Promise.resolve(), announce: () => {} };
  const limits = new RateLimitWaits(new Patience(waiting, 3_600_000), waiting.now);
  const waited: boolean[] = [];
  for (const status of statuses) {
    waited.push(await limits.waitToOpen(Object.assign(newResponse(), { status }), 0, () => false));
  }
  return [waited, limits.overload !== undefined];
}

Deno.test("waitToOpen ends a calibration only if no WebSocket can be opened", async () => {
  assertEquals(await open([429, 429, 503, 429, 429]), [[true, true, true, true, false], true]);
  assertEquals(
    await open([429, 101, 429, 101, 429, 101, 429, 101, 429, 101]),
    [[true, false, true, false, true, false, true, false, true, false], false],
  );
  // A failed connection does not show that the server accepts requests.
  assertEquals(await open([429, 429, 0, 503, 429, 429]), [
    [true, true, false, true, true, false],
    true,
  ]);
});
