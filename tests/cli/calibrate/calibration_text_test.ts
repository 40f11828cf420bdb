import { assertEquals } from "@std/assert";
import type { CalibratedCall, Calibration } from "../../../src/calibrate/calibration.ts";
import { calibrationText } from "../../../src/cli/calibrate/calibration_text.ts";

function call(index: number, places: Record<string, string>): CalibratedCall {
  const content = Object.entries(places).map(([place, live]) => (
    { kind: "refusal", place, recorded: "", live, responses: 1 }
  ));
  const verdict = { kind: "as recorded", differences: [] };
  return { ...verdict, index, name: `GET /${index}`, content } as unknown as CalibratedCall;
}

function printed(calls: CalibratedCall[], explain: boolean): string[] {
  const round = { users: 2, iterations: 2, calls: calls.length, asRecorded: calls.length };
  const lists = Object.fromEntries(
    ["constants", "extracted", "received", "unique", "missing", "conflicts"]
      .concat(["moved", "pauses", "removed", "messages", "uncompared", "explanation"])
      .map((name) => [name, []]),
  );
  const writes = { sent: 1, limit: 9 };
  const found = { target: "T", proven: true, calls, rounds: [round], writes, ...lists };
  return calibrationText(found as unknown as Calibration, (text) => text, explain).split("\n")
    .filter((line) => line !== "").slice(1);
}

Deno.test("calibrate prints a content difference that several calls share on one line", () => {
  const denied = { text: "denied" };
  const calls = [call(0, denied), call(1, { ...denied, title: "expired" }), call(2, denied)];
  assertEquals(printed(calls, false), [
    "3 calls with text that reads like a refusal, although the response is as recorded: 1, 2, 3 " +
    "(`--explain` lists it)",
    "1 round; 1 write sent (limit 9)",
  ]);
  assertEquals(printed(calls, true).slice(4, -1), [
    "Calls that differ (2)",
    '  call 1 and 2 more calls: refusal: "denied", 3 times',
    '  call 2: refusal: "expired"',
  ]);
});
