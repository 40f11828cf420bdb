import { assertEquals } from "@std/assert";
import { convertHar } from "../../../src/convert/from_har.ts";
import type { HarOptions } from "../../../src/convert/har/facts.ts";
import { HAR_NOTES } from "../../../src/convert/notes/notes.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { Recording } from "../../../src/traffic/har/recording.ts";
import { harFiles } from "../../support/har_files.ts";
import { type CaseCall, readCases, recordingOf, recordingWith } from "../har/recorded_case.ts";

/**
 * A recording with calls that `convert` excludes, and with kinds of calls that no other recording
 * contains.
 */
const EXCLUDED: readonly CaseCall[] = [
  { request: "GET /a", response: { token: "4f6c1d2e8a9b7c30" } },
  { request: "GET /b.js", type: "text/javascript" },
  { request: "GET data:text/plain,x" },
  { request: "GET blob:https://app.example/1" },
  { request: "GET chrome-extension://a/b.js" },
  { request: "GET wss://app.example/socket" },
  { request: "GET ftp://app.example/file" },
  { request: "CONNECT https://app.example:443/" },
  { request: "GET /blocked", status: 0 },
  { request: "FOO.BAR /x" },
];

const LEFT_OUT: readonly CaseCall[] = [
  { request: "GET https://other.example/token", response: { token: "4f6c1d2e8a9b7c30" } },
  { request: "GET /a" },
  { request: "GET /b?token=4f6c1d2e8a9b7c30" },
];

const LARGE_PAGE: readonly CaseCall[] = [
  {
    request: "GET /a",
    text: `${"<div>".repeat(2_000)}<input name=t value=4f6c1d2e8a9b7c30>`,
    type: "text/html",
  },
  { request: "GET /b?t=4f6c1d2e8a9b7c30" },
];

Deno.test("convertHar emits every HAR note code", async () => {
  const emitted = new Set<string>();
  const convert = (recording: Recording, options: HarOptions = {}) => {
    for (const { code } of convertHar(recording, options).notes) emitted.add(code);
  };
  convert(recordingOf(EXCLUDED));
  convert(recordingOf(LEFT_OUT), { origins: ["app.example"] });
  convert(recordingOf(LEFT_OUT), { exclude: [/other/] });
  const { exchanges: [cached] } = recordingOf([{ request: "GET /a" }]);
  convert(recordingWith([{ ...cached, cached: true }]));
  convert(recordingOf(LARGE_PAGE));
  for (
    const file of [
      ...["dynamic", "places", "not_correlated", "sources", "calls", "hints", "client_ids"],
      ...["client_uuids", "streams", "polling"],
    ]
  ) {
    for (const { calls } of readCases(`${file}.yaml`)) convert(recordingOf(calls));
  }
  for (const folder of ["bytes", "shapes", "real", "labelled"]) {
    for (const { name, bytes } of harFiles(`testdata/har/${folder}`)) {
      const recording = await readHar([bytes], name);
      convert(recording, { jsonOnly: true });
      convert(recording, { secrets: true });
    }
  }
  assertEquals(Object.keys(HAR_NOTES).filter((code) => !emitted.has(code)), []);
});
