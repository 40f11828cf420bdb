import { assertEquals } from "@std/assert";
import { newResponse } from "../../src/http/sender.ts";
import { Patience, RateLimitWaits } from "../../src/calibrate/rate_limit_waits.ts";
import { waitsToOpen } from "../../src/calibrate/socket_waits.ts";

/**
 * Simulates attempts to open a WebSocket that get responses with `statuses`. Returns whether the
 * calibration waits after each response, and whether it ends.
 */
async function open(statuses: readonly number[]): Promise<[waited: boolean[], ends: boolean]> {
  const limits = new RateLimitWaits(new Patience(3_600_000));
  const sleep = () => Promise.resolve();
  const wait = waitsToOpen(limits, { now: () => 0, sleep }, () => false);
  const waited: boolean[] = [];
  for (const status of statuses) {
    waited.push(await wait(Object.assign(newResponse(), { status }), 0));
  }
  return [waited, limits.overload !== undefined];
}

Deno.test("waitsToOpen ends a calibration only if no WebSocket can be opened", async () => {
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
