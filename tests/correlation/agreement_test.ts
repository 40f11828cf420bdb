import { assertEquals } from "@std/assert";
import { agreement } from "../../src/correlation/agreement.ts";
import { recordedStep, sharedValues } from "../../src/correlation/shared_values.ts";
import { splitCalls } from "../../src/traffic/session/recorded_call.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";

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
    assertEquals(agreement(use, source), score);
  });
}
