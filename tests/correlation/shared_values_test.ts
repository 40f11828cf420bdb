import { assertEquals } from "@std/assert";
import { recordedStep, sharedValues } from "../../src/correlation/shared_values.ts";
import { splitCalls } from "../../src/traffic/session/recorded_call.ts";
import { type CaseCall, recordingOf } from "../convert/har/recorded_case.ts";

const TOKEN = "q7Zk2Xw9";
const basic = (text: string) => ({ Authorization: `Basic ${btoa(text)}` });
const script = (modified: string): CaseCall => ({
  request: "GET /app.js",
  type: "text/javascript",
  text: `const token = "${TOKEN}";`,
  response_headers: { "Last-Modified": modified },
});

/** Calls, and the shared values: the calls that send them, and those whose responses do. */
const ROWS: Record<string, [calls: CaseCall[], ...values: string[]]> = {
  "a value in all places, in the order in which requests send them": [
    [
      { request: "GET /a", response: { token: TOKEN } },
      { request: `GET /b/${TOKEN}`, headers: { "X-Token": TOKEN }, response: { again: TOKEN } },
      { request: "POST /c", json: { token: TOKEN } },
    ],
    `${TOKEN}: 1 path, 1 header, 2 json of 0, 1`,
  ],
  "responses in the order in which they ended": [
    [
      { request: "GET /slow", at: [0, 900], response: { token: TOKEN } },
      { request: "GET /fast", at: [100, 200], response: { token: TOKEN } },
      { request: `GET /b?token=${TOKEN}`, at: [1_000, 1_100] },
    ],
    `${TOKEN}: 2 query of 1, 0`,
  ],
  "no part of a word or of a number": [
    [
      { request: "GET /a", response: { id: 91234, name: "greentea" } },
      { request: "GET /b/1234/tea" },
    ],
  ],
  "no value that no response contains": [[
    { request: "GET /a", response: { token: "r8Ym3Vb1" } },
    { request: `GET /b/${TOKEN}` },
  ]],
  "no value of a script from before the session": [
    [script("Thu, 01 Jan 1970 00:00:00 GMT"), { request: `GET /b/${TOKEN}` }],
  ],
  "a value of a script that the session changed": [
    [script("Thu, 01 Jan 1970 00:00:09 GMT"), { request: `GET /b/${TOKEN}` }],
    `${TOKEN}: 1 path of 0`,
  ],
  "a value in base64": [
    [
      { request: "GET /a", response: { user: TOKEN, key: "r8Ym3Vb1" } },
      { request: "GET /b", headers: basic(`${TOKEN}:r8Ym3Vb1`) },
    ],
    `${TOKEN}: 1 header of 0`,
    "r8Ym3Vb1: 1 header of 0",
  ],
  "no user name in base64, if the plan would then contain the password": [[
    { request: "GET /a", response: { user: TOKEN } },
    { request: "GET /b", headers: basic(`${TOKEN}:secret-word`) },
  ]],
};

for (const [name, [calls, ...expected]] of Object.entries(ROWS)) {
  Deno.test(`sharedValues finds ${name}`, () => {
    const steps = splitCalls(recordingOf(calls).exchanges).map(recordedStep);
    const found = sharedValues(steps, () => true).map(({ value, uses, sources }) => {
      const sent = uses.map(({ call, field }) => `${call.order} ${field.kind}`);
      return `${value}: ${sent.join(", ")} of ${sources.map(({ call }) => call.order).join(", ")}`;
    });
    assertEquals(found, expected);
  });
}

Deno.test("sharedValues omits the fields that are not sought", () => {
  const calls = [
    { request: "GET /a", response: { token: TOKEN } },
    { request: `GET /b/${TOKEN}`, headers: { "X-Token": TOKEN } },
  ];
  const steps = splitCalls(recordingOf(calls).exchanges).map(recordedStep);
  const [{ uses }] = sharedValues(steps, ({ kind }) => kind !== "path");
  assertEquals(uses.map(({ field }) => field.kind), ["header"]);
});
