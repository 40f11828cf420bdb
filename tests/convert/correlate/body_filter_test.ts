import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { convertHar } from "../../../src/convert/from_har.ts";
import type { HarOptions } from "../../../src/convert/har/har_options.ts";
import { OPTIONAL_SOURCES } from "../../../src/convert/correlate/sources/source_kinds.ts";
import { readHar } from "../../../src/traffic/har/read_har.ts";
import type { Recording } from "../../../src/traffic/har/recording.ts";
import { harFiles } from "../../support/har_files.ts";
import {
  CASE_FILES,
  type CaseCall,
  readCases,
  recordingOf,
  recordingWith,
} from "../har/recorded_case.ts";

const ALL: HarOptions = { correlate: new Set(OPTIONAL_SOURCES) };

/**
 * Returns a copy of a recording without the bytes of its bodies, so that a conversion parses all
 * JSON bodies and searches all of their leaves.
 */
function withoutBytes(recording: Recording): Recording {
  const exchanges = recording.exchanges.map((exchange) => {
    const { text, utf8: _, ...response } = exchange.response;
    return { ...exchange, response: { ...response, text } };
  });
  return { ...recording, exchanges };
}

/**
 * Converts a recording with and without `BodyFilter`. Asserts that the results are equal, and
 * returns the result.
 */
function assertSameConversion(recording: Recording, name: string) {
  for (const options of [{}, ALL]) {
    const fast = convertHar(recording, options);
    const slow = convertHar(withoutBytes(recording), options);
    assertEquals(fast, slow, name);
  }
  return convertHar(recording, ALL);
}

Deno.test("BodyFilter does not change the plan for any of the project's recordings and test cases", async () => {
  for (const folder of ["testdata/har", "real", "shapes", "labelled"]) {
    const path = folder.includes("/") ? folder : `testdata/har/${folder}`;
    for (const { name, bytes } of harFiles(path)) {
      const recording = await readHar([bytes], name);
      // Without calls, there is nothing to convert.
      if (recording.exchanges.some(({ response }) => response.utf8 !== undefined)) {
        assertSameConversion(recording, name);
      }
    }
  }
  for (const file of CASE_FILES) {
    for (const { case: name, calls } of readCases(`${file}.yaml`)) {
      assertSameConversion(recordingOf(calls), name);
    }
  }
});

/**
 * Generates values like those that servers generate, some with characters that must be escaped or
 * percent-encoded.
 */
const generated = fc.oneof(
  fc.uuid(),
  fc.integer({ min: 1, max: 99_999_999 }).map(String),
  fc.constantFrom(
    "7",
    "42",
    "9007199254740993",
    "ab12cd34ef56ab78",
    "tok/en+9=x1",
    "é1b2c3d4e5f6ü",
  ),
  fc.constantFrom("k3y-ö-9f8e7d6c", "a&b'c<1234567", "csrf 55 aa", "/api/things/8f3a"),
);

/** Functions that embed a value in the JSON of a response, each in a different encoding. */
const HOLD: ((value: string) => string)[] = [
  (value) => JSON.stringify(value),
  (value) => JSON.stringify(value).replaceAll("/", "\\/").replaceAll("a", "\\u0061"),
  (value) => /^[1-9]\d*$/.test(value) ? value : JSON.stringify(value),
  (value) => JSON.stringify(`<a href="/x/${value}?q=1">`),
  (value) => JSON.stringify(`https://app.example/x/${encodeURIComponent(value)}/edit`),
  (value) => JSON.stringify(encodeURIComponent(value)),
  (value) => JSON.stringify(new TextEncoder().encode(value).toBase64()),
  (value) => JSON.stringify(value.replaceAll("&", "&amp;").replaceAll("<", "&lt;")),
  (value) => JSON.stringify(JSON.stringify({ token: value })),
];

/** Functions that create a request that sends a value, each in a different part of the request. */
const SEND: ((value: string) => CaseCall)[] = [
  (value) => ({ request: `GET /things/${encodeURIComponent(value)}` }),
  (value) => ({ request: `GET /search?token=${encodeURIComponent(value)}&sort=name` }),
  (value) => ({ request: "POST /a", json: { id: value, note: `about ${value}` } }),
  (value) => ({ request: "POST /b", form: { csrf: value } }),
  (value) => ({ request: "GET /c", headers: { Authorization: `Bearer ${value}` } }),
];

const names = fc.constantFrom("id", "token", "name", "items", "odd name", "é", "value");

Deno.test("BodyFilter does not change which values are found, regardless of how they are encoded", () => {
  const chosen = fc.record({
    values: fc.array(generated, { minLength: 1, maxLength: 4 }),
    holds: fc.array(
      fc.record({
        hold: fc.constantFrom(...HOLD),
        value: fc.nat(3),
        name: names,
        isListed: fc.boolean(),
      }),
      { minLength: 1, maxLength: 6 },
    ),
    sends: fc.array(fc.tuple(fc.constantFrom(...SEND), fc.nat(3)), { minLength: 1, maxLength: 5 }),
    isRepeated: fc.boolean(),
  });
  let variables = 0;
  fc.assert(
    fc.property(chosen, ({ values, holds, sends, isRepeated }) => {
      const at = (i: number) => values[i % values.length];
      const members = holds.map(({ hold, value, name, isListed }, i) => {
        const text = hold(at(value));
        // A repeated name hides the first member.
        const key = JSON.stringify(isRepeated ? name : `${name}${i}`);
        return `${key}: ${isListed ? `[0, {"x": null}, ${text}]` : text}`;
      });
      const text = `{"count": 1.50, ${members.join(", ")}}`;
      const calls: CaseCall[] = [
        { request: "GET /start", text, type: "application/json" },
        ...sends.map(([send, value]) => send(at(value))),
      ];
      const recording = recordingOf(calls);
      const { plan } = assertSameConversion(recordingWith(recording.exchanges), text);
      variables += plan.scenarios.recorded.flow[0].request?.extract?.length ?? 0;
    }),
  );
  assert(variables > 40, `${variables} variables`);
});
