import { assertEquals } from "@std/assert";
import {
  callWords,
  commonShare,
  consumerWords,
  haveCommonWord,
  isCount,
  mayChangeData,
  resourceWords,
} from "../../src/correlation/words.ts";
import { piecesOf } from "../../src/correlation/pieces.ts";
import { splitCalls } from "../../src/traffic/session/recorded_call.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";

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
