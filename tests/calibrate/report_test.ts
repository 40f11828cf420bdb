import { assertEquals } from "@std/assert";
import { mayBeConflict, summarizeContent } from "../../src/calibrate/report.ts";
import type { CallOutcome } from "../../src/calibrate/attempts.ts";

/** Returns an outcome that lists differences at `places`, and counts `more` additional ones. */
function outcome(places: readonly number[], more: number): CallOutcome {
  const differences = places.map((n) => (
    { kind: "other" as const, place: `$.m${n}`, recorded: "a", live: "b" }
  ));
  const content = { differences, more } as unknown as CallOutcome["content"];
  return { user: 1, iteration: 1, index: 0, differences: [], content };
}

Deno.test("summarizeContent counts a difference once if it is listed for one response and only counted for another", () => {
  const one = [1, 2, 3, 4, 5, 6, 7, 8];
  const other = [2, 3, 4, 5, 6, 7, 8, 9];
  const found = summarizeContent([outcome(one, 1), outcome(other, 1)]);
  assertEquals([found?.differences.length, found?.more], [8, 1]);
  assertEquals(summarizeContent([outcome(one, 4), outcome(one, 2)])?.more, 4);
  assertEquals(summarizeContent([outcome([1], 0), outcome([2], 0)])?.more, 0);
});

Deno.test("mayBeConflict does not take a text that exists already for a conflict of two users", () => {
  const call = {
    index: 0,
    name: "POST /users",
    scenario: "recorded",
    kind: "state",
    differences: [],
  } as const;
  const isConflict = (isTaken: boolean) =>
    mayBeConflict({ calls: [{ ...call, ...(isTaken && { isTaken }) }], messages: [] });
  assertEquals([isConflict(false), isConflict(true)], [true, false]);
});
