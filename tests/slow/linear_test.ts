import { assert } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import { recordedStep, sharedValues } from "../../src/correlation/explain_pieces.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { splitCalls } from "../../src/traffic/session/recorded_call.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";

const id = (i: number) => `${(i * 7919).toString(36)}-${(i * 104_729).toString(16)}`;

/** Recordings of a size, with the size that conversion must cope with. */
const SHAPES: Readonly<Record<string, readonly [full: number, (size: number) => CaseCall[]]>> = {
  "equal requests": [1_000, (size) =>
    Array.from({ length: size }, () => ({
      request: "POST /items/7?page=2",
      headers: { "X-Token": "4f6c1d2e8a9b7c30" },
      json: { id: 7, parent: 12, state: "open" },
      response: { id: 7, parent: 12, page: 2, state: "open", token: "4f6c1d2e8a9b7c30" },
    }))],
  "tokens without a source": [12_000, (size) =>
    Array.from({ length: size }, (_, i) => ({
      request: `GET /track?token=${id(i)}`,
      response: { ok: true },
    }))],
  "bytes of an inline script": [20_000_000, (size) => {
    let script = "";
    for (let i = 0; script.length < size; i++) script += `add("${id(i)}",{n:${i},t:'x${i}'});`;
    return [
      { request: "GET /", type: "text/html", text: `<script>${script}</script>` },
      { request: `GET /item?key=${id(3)}` },
      { request: `GET /item?key=${id(1_000)}` },
    ];
  }],
  "ids in one response": [50_000, (size) => [
    {
      request: "GET /items",
      response: { items: Array.from({ length: size }, (_, i) => ({ id: id(i), n: i })) },
    },
    ...Array.from({ length: 100 }, (_, k) => ({
      request: `GET /items/${id(Math.floor(k * size / 100))}`,
      response: { n: k },
    })),
  ]],
};

/**
 * Converts a recording. Returns the work, which does not depend on the speed of the machine: the
 * number of characters of responses that the conversion reads, and of places of values that it
 * compares with their uses.
 */
function workFor(calls: readonly CaseCall[]): number {
  const { exchanges, ...rest } = recordingOf(calls);
  let characters = 0;
  const counted = exchanges.map((exchange) => ({
    ...exchange,
    response: {
      ...exchange.response,
      get text() {
        characters += exchange.response.text?.length ?? 0;
        return exchange.response.text;
      },
    },
  }));
  const recording: Recording = { ...rest, exchanges: counted };
  convertHar(recording, { checks: "response" });
  const values = sharedValues(splitCalls(exchanges).map(recordedStep), () => true);
  return values.reduce((sum, { uses, sources }) => sum + uses.length * sources.length, characters);
}

for (const [name, [full, create]] of Object.entries(SHAPES)) {
  Deno.test(`converting ${full} ${name} takes linear work`, () => {
    const [half, whole] = [full / 2, full].map((size) => workFor(create(size)));
    assert(whole < 2.2 * half, `${half}, ${whole}`);
  });
}
