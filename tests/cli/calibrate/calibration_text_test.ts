import { assertEquals } from "@std/assert";
import type { CalibratedCall, Calibration } from "../../../src/calibrate/calibration.ts";
import { calibrationText } from "../../../src/cli/calibrate/calibration_text.ts";

function call(index: number, places: Record<string, string>): CalibratedCall {
  const differences = Object.entries(places).map(([place, live]) => ({
    kind: "other" as const,
    place,
    recorded: "a",
    live,
    responses: 1,
  }));
  const content = { responses: 1, differences, more: 0 };
  const verdict = { kind: "as recorded", differences: [] };
  return { ...verdict, index, name: `GET /${index}`, content } as unknown as CalibratedCall;
}

function printed(calls: CalibratedCall[], explain: boolean): string[] {
  const round = { users: 2, iterations: 2, calls: calls.length, asRecorded: calls.length };
  const lists = Object.fromEntries(
    ["constants", "extracted", "received", "unique", "missing", "conflicts", "possiblePauses"]
      .concat(["moved", "pauses", "removed", "messages", "uncompared", "explanation"])
      .map((name) => [name, []]),
  );
  const writes = { sent: 1, limit: 9 };
  const found = { target: "T", proven: true, calls, rounds: [round], writes, ...lists };
  return calibrationText(found as unknown as Calibration, (text) => text, explain).split("\n")
    .filter((line) => line !== "").slice(1);
}

Deno.test("calibrate prints a content difference that several calls share on one line", () => {
  const policy = { "header x-policy": "b" };
  const calls = [call(0, policy), call(1, { ...policy, "$.state": "shut" }), call(2, policy)];
  assertEquals(printed(calls, false), [
    "3 calls with content that differs from the recording: 1, 2, 3 (`--explain` lists the " +
    "differences)",
    "1 round; 1 write sent (limit 9)",
  ]);
  assertEquals(printed(calls, true).slice(4, -1), [
    "Calls that differ (2)",
    '  call 1 and 2 more calls: content: header x-policy: recorded "a", live "b", 3 times',
    '  call 2: content: $.state: recorded "a", live "shut"',
  ]);
});
