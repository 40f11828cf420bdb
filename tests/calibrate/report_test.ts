import { assertEquals } from "@std/assert";
import { mayBeConflict, summarizeContent } from "../../src/calibrate/report.ts";
import type { CallOutcome } from "../../src/calibrate/attempts.ts";

Deno.test("summarizeContent counts the responses with a difference, and lists of items once", () => {
  const outcome = (...lists: string[]): CallOutcome => ({
    user: 1,
    iteration: 1,
    index: 0,
    differences: [],
    content: lists.map((place) => (
      { kind: "empty list", place, recorded: "1 item", live: "0 items", path: ["orders", 0] }
    )),
  });
  const found = summarizeContent([
    outcome("$.orders[0].lines", "$.orders[1].lines"),
    outcome("$.orders[7].lines", "$.tags"),
    outcome(),
  ]);
  assertEquals(found?.map(({ place, responses }) => [place, responses]), [
    ["$.orders[0].lines", 2],
    ["$.tags", 1],
  ]);
  assertEquals(summarizeContent([outcome()]), undefined);
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
