import { assertEquals } from "@std/assert";
import { readRecordedSide } from "../../src/calibrate/recorded_side.ts";
import { convertHar } from "../../src/convert/from_har.ts";
import { recordingOf } from "../convert/har/recorded_case.ts";

const ORIGINS = { recorded: "https://app.example", target: "https://app.example" };

Deno.test("isSentUpTo counts a request that was sent before the end of a response", () => {
  const sent = (ended: number) => {
    const recording = recordingOf([
      { request: "GET /posts", at: [0, ended], response: [{ title: "Tea at five" }] },
      { request: "PUT /posts/7", at: [100, 150], json: { title: "Tea at five" } },
    ]);
    return readRecordedSide(recording, convertHar(recording, {}).plan, ORIGINS)
      .isSentUpTo(0, "Tea at five");
  };
  assertEquals([50, 100, 101, 102, 160].map(sent), [false, false, false, true, true]);
});

for (
  const [what, response, mayRead] of [
    ["JSON, which scripts get when it is complete", { response: { ticket: "q7Zk2Xw9" } }, false],
    ["a page, which browsers read while it arrives", { type: "text/html", text: "<p>Tea" }, true],
    ["a stream of events", { type: "text/event-stream", text: "data: q7Zk2Xw9\n\n" }, true],
  ] as const
) {
  Deno.test(`mayRead is ${mayRead} for a request during the response if it is ${what}`, () => {
    const recording = recordingOf([
      { request: "GET /page", at: [0, 500], ...response },
      { request: "GET /api?ticket=q7Zk2Xw9", at: [100, 150] },
    ]);
    const side = readRecordedSide(recording, convertHar(recording, {}).plan, ORIGINS);
    assertEquals(side.mayRead(1, 0), mayRead);
  });
}
