import { assertEquals } from "@std/assert";
import { parse } from "@std/yaml";
import type { CalibratedCall, Calibration } from "../../src/calibrate/calibration.ts";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { editText, planValues } from "../../src/cli/review/review_parts.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { readHar } from "../../src/traffic/har/read_har.ts";

const EXTRACTOR = { type: "regex", name: "id", expression: 'a: "(\\d+)" # x', index: 2 };

Deno.test("editText writes the extractor as YAML, and its source and consumers as comments", () => {
  const text = editText({
    call: "request 1 (GET /a)",
    extractor: EXTRACTOR,
    write: "${id}",
    consumers: ["request 2 (GET /b)", "request 2 (GET /b)"],
  });
  assertEquals(parse(text), { extract: [EXTRACTOR] });
  assertEquals(text.split("\n").filter((line) => line.startsWith("#")), [
    "# request 1 (GET /a)",
    "# request 2 (GET /b): write this instead of the value",
    "# ${id}",
  ]);
});

Deno.test("editText keeps recorded line breaks out of comments", () => {
  const call = "request 1 (GET /a\nscenarios: {})";
  const text = editText({ call, extractor: EXTRACTOR, write: "${id}", consumers: [call, call] });
  assertEquals(parse(text), { extract: [EXTRACTOR] });
});

Deno.test("editText lists at most three consumers", () => {
  const consumers = ["a", "b", "c", "d", "e"];
  const text = editText({ call: "x", extractor: EXTRACTOR, write: "${id}", consumers });
  assertEquals(text.split("\n").at(-2), "# a, b, c and 2 more: write this instead of the value");
});

const entry = (path: string, text: string) => ({
  startedDateTime: "2026-11-21T10:00:00.000Z",
  time: 5,
  request: { method: "GET", url: `https://shop.example${path}`, headers: [], cookies: [] },
  response: {
    status: 200,
    headers: [],
    cookies: [],
    content: { mimeType: "application/json", text },
  },
});
const HAR = JSON.stringify({ log: { entries: [entry("/a", '{"id":"x1"}'), entry("/b", "{}")] } });

function plan(flow: Plan["scenarios"][string]["flow"]): Plan {
  return { scenarios: { s: { executor: "per-vu-iterations", vus: 1, iterations: 1, flow } } };
}

const id = { type: "jsonpath", name: "id", expression: "$.id" } as const;

Deno.test("planValues lists each extracted value with its recorded value and its consumers", async () => {
  const recording = await readHar([new TextEncoder().encode(HAR)], "a.har");
  const values = planValues(
    plan([
      { request: { url: "/a", tags: { recorded: "1" }, extract: [id] } },
      { request: { url: "/b/${id}?q=${url_encode(id)}", tags: { recorded: "2" }, extract: [id] } },
      { request: { url: "/c", headers: { "X-Id": "${id}" } } },
    ]),
    recording,
    (index, entry) => `call ${index} of entry ${entry}`,
  );
  assertEquals(values, [
    {
      variable: "id",
      recorded: "x1",
      result: "extracted",
      rating: "good",
      from: { call: "call 0 of entry 1", place: "jsonpath $.id" },
      to: [
        { call: "call 1 of entry 2", place: "path b" },
        { call: "call 1 of entry 2", place: "query q" },
      ],
    },
    {
      variable: "id",
      result: "extracted",
      rating: "good",
      from: { call: "call 1 of entry 2", place: "jsonpath $.id" },
      to: [{ call: "call 2 of entry undefined", place: "header X-Id" }],
    },
  ]);
});

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
