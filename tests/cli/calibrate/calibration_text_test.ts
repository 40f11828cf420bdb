import { assertEquals } from "@std/assert";
import type { CalibratedCall, Calibration } from "../../../src/calibrate/calibration.ts";
import { contentBlocks } from "../../../src/cli/calibrate/calibration_text.ts";
import { printText, style } from "../../../src/report/text/print_blocks.ts";

function call(index: number, places: Record<string, string>): CalibratedCall {
  const differences = Object.entries(places).map(([place, live]) => ({
    kind: "other" as const,
    place,
    recorded: "a",
    live,
    responses: 1,
  }));
  const content = { responses: 1, differences, more: 0 };
  return { index, name: `GET /${index}`, content } as unknown as CalibratedCall;
}

function printed(calls: CalibratedCall[], explain: boolean): string[] {
  const show = (text: string) => text;
  const blocks = contentBlocks({ calls } as unknown as Calibration, show, explain);
  return printText(blocks, style(false, Infinity)).filter((line) => line !== "");
}

Deno.test("calibrate prints a content difference that several calls share on one line", () => {
  const policy = { "header x-policy": "b" };
  const calls = [call(0, policy), call(1, { ...policy, "$.state": "shut" }), call(2, policy)];
  const common = [
    "The same difference in several calls",
    '  call 1 GET /0: header x-policy: recorded "a", live "b" (1 of 1 response); also in 2 other calls',
  ];
  assertEquals(printed(calls, false), [
    ...common,
    "1 call with content that differs from the recording: 2 (`--explain` lists the differences)",
  ]);
  assertEquals(printed(calls, true), [
    ...common,
    "Content that differs from the recording",
    '  call 2 GET /1: $.state: recorded "a", live "shut" (1 of 1 response)',
  ]);
  assertEquals(printed(calls.slice(1), false), [
    "2 calls with content that differs from the recording: 2, 3 (`--explain` lists the differences)",
  ]);
});
