import { assertEquals } from "@std/assert";
import { readRecordedSide } from "../../src/calibrate/recorded_side.ts";
import { recordingOf } from "../convert/har/recorded_case.ts";

Deno.test("isSentUpTo counts a request that was sent before the end of a response", () => {
  const sent = (ended: number) => {
    const recording = recordingOf([
      { request: "GET /posts", at: [0, ended], response: [{ title: "Tea at five" }] },
      { request: "PUT /posts/7", at: [100, 150], json: { title: "Tea at five" } },
    ]);
    const origins = { recorded: "https://app.example", target: "https://app.example" };
    return readRecordedSide(recording, new Map([[0, 1], [1, 2]]), origins)
      .isSentUpTo(0, "Tea at five");
  };
  assertEquals([50, 100, 101, 102, 160].map(sent), [false, false, false, true, true]);
});
