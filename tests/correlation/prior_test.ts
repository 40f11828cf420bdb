import { assertEquals } from "@std/assert";
import { agreement } from "../../src/correlation/agreement.ts";
import { piecesOf } from "../../src/correlation/pieces.ts";
import { evidenceFor } from "../../src/correlation/evidence.ts";
import { sumOf, THRESHOLD } from "../../src/correlation/prior.ts";
import { SessionEvidence } from "../../src/correlation/session_evidence.ts";
import { recordedStep, sharedValues } from "../../src/correlation/shared_values.ts";
import { callWords, consumerWords, mayChangeData } from "../../src/correlation/request_words.ts";
import {
  commonShare,
  haveCommonWord,
  isCount,
  resourceWords,
} from "../../src/correlation/words.ts";
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
  [
    "long numbers between dots",
    { response: { a: "1796068712.10373601.3119466" } },
    { request: "GET /x?b=1796068712.10373601.3119466" },
    "1796068712.10373601.3119466",
    "generated leaf: 3",
  ],
  [
    "a version of numbers",
    { response: { a: "156.0.6943.53" } },
    { request: "GET /x?b=156.0.6943.53" },
    "156.0.6943.53",
    "plain: -9",
  ],
  [
    "a fraction",
    { response: { a: "0.1037360131" } },
    { request: "GET /x?b=0.1037360131" },
    "0.1037360131",
    "plain: -9",
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

for (
  const [name, ...words] of [
    ["orderIds", "order"],
    ["companies", "company"],
    ["statuses", "status"],
    ["green_teas", "green", "tea"],
    ["edit"],
    ["id"],
  ]
) {
  Deno.test(`resourceWords of ${name}`, () => assertEquals(resourceWords(name), words));
}

Deno.test("haveCommonWord and commonShare take an abbreviation for the word, which counts half", () => {
  assertEquals(haveCommonWord(["build"], ["builder"]), true);
  assertEquals(commonShare(["order", "item"], ["order"]), 0.5);
  assertEquals(commonShare(["build"], ["builder"]), 0.5);
  assertEquals(commonShare(["tea"], ["cup"]), 0);
  assertEquals(commonShare([], []), 0);
});

Deno.test("isCount finds counts, positions and sizes", () => {
  const names = [
    "page",
    "per_page",
    "item_count",
    "quantity",
    "page_id",
    "order",
    "orderId",
    "event.clientY",
  ];
  assertEquals(names.filter(isCount), names.filter((name) => !/_id$|Id$/.test(name)));
});

const query = (text: string) => ({ request: "POST /graphql", json: { query: text } });

for (
  const [name, call, words, changes] of [
    ["a path", { request: "POST /api/orders/7/items" }, ["order", "item"], true],
    ["a GraphQL query", query("query { tea(id: 7) { name } }"), ["tea"], false],
    ["a GraphQL mutation", query("mutation { deleteTea(id: 7) { id } }"), ["tea"], true],
    [
      "a JSON-RPC method",
      { request: "POST /rpc", json: { jsonrpc: "2.0", method: "party.address.read", params: [7] } },
      ["address"],
      false,
    ],
    ["a parameter", { request: "POST /admin.php", form: { action: "delete_teas" } }, ["tea"], true],
  ] as [string, CaseCall, string[], boolean][]
) {
  Deno.test(`callWords and mayChangeData of a call with ${name}`, () => {
    const [split] = splitCalls(recordingOf([call]).exchanges);
    assertEquals([callWords(split), mayChangeData(split)], [words, changes]);
  });
}

for (
  const [name, call, words] of [
    ["a path segment", { request: "GET /orders/4711/items" }, ["order"]],
    ["a named field", { request: "POST /x", form: { tea_id: "4711" } }, ["tea"]],
    ["a generic name", { request: "POST /orders", json: { item: { id: "4711" } } }, ["item"]],
    ["a generic name without a parent", { request: "POST /orders", json: { id: "4711" } }, [
      "order",
    ]],
    ["a count", { request: "GET /orders?page=4711" }, []],
    ["a row of a table", { request: "GET /tables/teas/rows/4711" }, ["tea"]],
  ] as [string, CaseCall, string[]][]
) {
  Deno.test(`consumerWords of a value in ${name}`, () => {
    const [split] = splitCalls(recordingOf([call]).exchanges);
    const uses = split.fields.flatMap((field) => piecesOf(split, field));
    const use = uses.find(({ value }) => value === "4711")!;
    assertEquals(consumerWords(use), words);
  });
}

const form = { type: "text/html", text: '<input name="tea_id" value="4711">' };

for (
  const [name, first, second, score] of [
    ["no name", { response: { user: { id: 4711 } } }, { request: "GET /orders/4711" }, 0],
    ["the resource", { response: { order: { id: 4711 } } }, { request: "GET /orders/4711" }, 1],
    ["the id", { response: { tea_id: 4711 } }, { request: "GET /x?tea_id=4711" }, 1],
    ["the field of a page", form, { request: "POST /x", form: { tea_id: "4711" } }, 2],
    [
      "the field of the page that sent the request",
      form,
      {
        request: "POST /x",
        headers: { Referer: "https://app.example/" },
        form: { tea_id: "4711" },
      },
      3,
    ],
    [
      "the collection",
      { type: "text/html", text: '<a href="/teas/4711">' },
      { request: "GET /teas/4711" },
      1,
    ],
    [
      "the collection after another path",
      { type: "text/html", text: '<a href="/teas/4711">' },
      { request: "GET /old/teas/4711" },
      0.9,
    ],
  ] as [string, Partial<CaseCall>, CaseCall, number][]
) {
  Deno.test(`agreement is ${score} if a response and a request have in common: ${name}`, () => {
    const calls = splitCalls(recordingOf([{ request: "GET /", ...first }, second]).exchanges);
    const { uses: [use], sources: [source] } = sharedValues(calls.map(recordedStep), () => true)
      .find(({ value }) => value === "4711")!;
    assertEquals(agreement(use, source).share, score);
  });
}
