import { assertEquals } from "@std/assert";
import { SessionEvidence } from "../../src/correlation/session_evidence.ts";
import { recordedStep, sharedValues } from "../../src/correlation/shared_values.ts";
import { evidenceFor, sumOf, THRESHOLD } from "../../src/correlation/prior.ts";
import { splitCalls } from "../../src/traffic/session/recorded_call.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";

const UUID = "6f1c0a52-93de-4c55-a3f0-1d0a8a1f9f10";
const page = (text: string) => ({ type: "text/html", text });

/**
 * A first call, the request that sends a value of its response, the value, and the evidence for
 * each place of the value in the response, with the sum of the weights.
 */
type Row = readonly [
  name: string,
  first: Partial<CaseCall>,
  second: CaseCall,
  value: string,
  ...evidence: string[],
];

const ROWS: readonly Row[] = [
  [
    "a random value under any name",
    { response: { a: UUID } },
    { request: `GET /x?b=${UUID}` },
    UUID,
    "random leaf: 4",
  ],
  [
    "a value that looks generated",
    { response: { a: "x8Kd2Lq" } },
    { request: "GET /x?b=x8Kd2Lq" },
    "x8Kd2Lq",
    "generated leaf: 3",
  ],
  ["a word", { response: { a: "tea" } }, { request: "GET /x?b=tea" }, "tea", "word leaf: -1.5"],
  [
    "a word under the name of a token",
    { response: { csrf_token: "plainwords" } },
    { request: "GET /x?b=plainwords" },
    "plainwords",
    "named leaf sourceToken: 4",
  ],
  [
    "a short number under the name of its resource",
    { response: { order: { id: 7 } } },
    { request: "GET /orders/7" },
    "7",
    "shortNumber leaf sourceId agreement: 2.5",
  ],
  [
    "a short number of another resource",
    { response: { user: { id: 7 } } },
    { request: "GET /orders/7" },
    "7",
    "shortNumber leaf sourceId: 1",
  ],
  ["a count", { response: { count: 7 } }, { request: "GET /orders/7" }, "7", "ruledOut: -9"],
  [
    "the id of what a write created",
    { request: "POST /orders", response: { id: 7 } },
    { request: "GET /orders/7" },
    "7",
    "shortNumber leaf sourceId agreement created: 4.5",
  ],
  [
    "the number of what a write created",
    { request: "POST /repo/tea/issues", response: { number: 7 } },
    { request: "GET /repo/tea/issues/7" },
    "7",
    "shortNumber leaf sourceId agreement created: 4.5",
  ],
  [
    "a hidden field of a form",
    page('<input type="hidden" name="tea_id" value="7">'),
    { request: "POST /x", form: { tea_id: "7" } },
    "7",
    "shortNumber field sourceToken useId agreement: 3.5",
  ],
  [
    "a hidden field that is a switch",
    page('<input type="hidden" name="draft" value="1">'),
    { request: "POST /x", form: { draft: "1" } },
    "1",
    "shortNumber field flag agreement: -0.5",
  ],
  [
    "a link to a page",
    page('<a href="/orders/7">'),
    { request: "GET /orders/7" },
    "7",
    "shortNumber link agreement: 0",
  ],
  [
    "the whole path of a write, and an equal number",
    page('<b data-id="7"><a href="/orders/7/delete">'),
    { request: "POST /orders/7/delete" },
    "7",
    "shortNumber link agreement action: 2",
    "shortNumber named_text sourceId: 0.5",
  ],
  [
    "the selected option of a list",
    page('<select name="tea"><option value="7" selected></select>'),
    { request: "POST /x", form: { tea: "7" } },
    "7",
    "shortNumber option sourceId agreement: 2",
  ],
  [
    "a short id in a script",
    page("<script>new Box('f7CP2')</script>"),
    { request: "POST /x", form: { box: "f7CP2" } },
    "f7CP2",
    "generated text quoted: 5",
  ],
  [
    "a version",
    { response: { version: 3 } },
    { request: "PUT /x", json: { version: 3 } },
    "3",
    "shortNumber leaf sourceStamp useId agreement: 3",
  ],
  [
    "an address in any header that the next request gets",
    { response_headers: { "X-Ajax-Redirect": "/x?a=12" } },
    { request: "GET /x?a=12" },
    "12",
    "shortNumber header agreement followed: 3.5",
  ],
  [
    "a redirect that is followed",
    { status: 302, response_headers: { Location: "/x?a=12" } },
    { request: "GET /x?a=12" },
    "12",
    "shortNumber header agreement followed: 3.5",
  ],
  [
    "the time of the response",
    {
      response: { took: 1770715800123 },
      response_headers: { Date: "Tue, 10 Feb 2026 09:30:00 GMT" },
    },
    { request: "GET /x?_=1770715800123" },
    "1770715800123",
    "clock leaf: -1",
  ],
  [
    "the address of an uploaded file",
    {
      request: "POST /files",
      multipart: { file: "x" },
      filename: "tea.png",
      response: { url: "/files/tea.png" },
    },
    { request: "POST /x", json: { image: "/files/tea.png" } },
    "/files/tea.png",
    "uploaded: 3",
  ],
];

/** Returns the evidence for each place of a value that the second call sends first. */
function evidence(calls: readonly CaseCall[], value: string): string[] {
  const split = splitCalls(recordingOf(calls).exchanges);
  const shared = sharedValues(split.map(recordedStep), () => true)
    .find((one) => one.value === value)!;
  const session = new SessionEvidence(split);
  return shared.sources.map((source) => {
    const found = evidenceFor(shared.uses[0], source, source, session);
    return `${found.join(" ")}: ${sumOf(found)}`;
  });
}

Deno.test("the evidence of the table makes a variable if its sum is at least 2", () => {
  assertEquals(THRESHOLD, 2);
});

for (const [name, first, second, value, ...expected] of ROWS) {
  Deno.test(`evidenceFor, ${name}`, () => {
    assertEquals(evidence([{ request: "GET /first", ...first }, second], value), expected);
  });
}
