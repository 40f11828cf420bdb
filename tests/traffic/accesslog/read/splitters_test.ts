import { assert, assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { SLACK } from "../../../../src/traffic/accesslog/read/field_text.ts";
import {
  FIELDS,
  type LineSplitter,
  Spans,
} from "../../../../src/traffic/accesslog/read/log_format.ts";
import { jsonSplitter } from "../../../../src/traffic/accesslog/read/named_splitters.ts";
import { slowJson } from "../../../oracles/slow_json.ts";
import { readAs } from "../../../support/read_requests.ts";

/** Returns the fields that a splitter finds in a line that follows `before` bytes of other text. */
function split(splitter: LineSplitter, line: string, before: number) {
  const text = new TextEncoder().encode(line);
  // The splitter must ignore the bytes around the line. Copies of the line are the worst case.
  const bytes = new Uint8Array(before + text.length + 1 + SLACK).fill(0x22);
  bytes.set(text, before);
  bytes[before + text.length] = 0x0a;
  bytes.set(text.subarray(0, SLACK), before + text.length + 1);
  const spans = new Spans();
  const end = before + text.length;
  const failed = splitter.split(bytes, new DataView(bytes.buffer), before, end, spans);
  if (failed !== undefined) return undefined;
  const found: Record<string, string> = {};
  FIELDS.forEach((field, i) => {
    const [from, to] = [spans.from[i], spans.to[i]];
    if (from < 0) return;
    assert(before <= from && from <= to && to <= end, `${field} is out of the line`);
    found[field] = new TextDecoder().decode(bytes.slice(from, to));
  });
  return found;
}

const text = (unit: string) =>
  fc.string({ unit: fc.constantFrom(...unit), maxLength: 14 }).filter((line) => line.length > 0);

Deno.test("jsonSplitter finds the same members as JSON.parse", () => {
  const fields = {
    ts: "time",
    time: "time",
    status: "status",
    uri: "target",
    request: { method: "method", uri: "path", headers: { "User-Agent": "agent" } },
  } as const;
  const name = fc.oneof(
    fc.constantFrom("ts", "time", "status", "uri", "request", "headers", "User-Agent", "method"),
    fc.string({ maxLength: 6 }),
  );
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: ANY_CHARACTER }),
      text('a"\\{}[]:, '),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constantFrom(null, true, false),
      fc.array(tie("value"), { maxLength: 3 }),
      fc.dictionary(name, tie("value"), { maxKeys: 5 }),
    ),
  }));
  // Excludes integer names, because JavaScript objects list them first.
  const objects = fc.dictionary(name.filter((key) => !/^\d+$/.test(key)), value, { maxKeys: 8 })
    .map((object) => JSON.stringify(object)).filter((line) => !/"\d+":/.test(line));
  const [splitter, slow] = [jsonSplitter(fields), slowJson(fields)];
  fc.assert(
    fc.property(objects, fc.integer({ min: 0, max: 9 }), (line, before) => {
      const expected = slow(line);
      assertEquals(split(splitter, line, before), expected);
      assertEquals(split(splitter, spaced(line), before), expected);
    }),
  );
});

/**
 * Adds spaces around the punctuation in a JSON text, but not before its first or after its last
 * brace.
 */
function spaced(json: string): string {
  return json.replace(
    /("(?:\\.|[^"\\])*")|[{}[\],:]/g,
    (mark, text) => text ?? ` ${mark}${mark === ":" ? "\t" : " "}`,
  ).trim();
}

const PAIRS = "method=GET path=/a status=200";
const FOUND = { ms: 1_795_255_200_000, request: "GET /a", status: 200 };

Deno.test("logfmt: reads the timestamp from a key-value pair, or otherwise from the start of the line", () => {
  for (
    const line of [
      `time=2026-11-21T10:00:00Z ${PAIRS}`,
      `2026-11-21T10:00:00Z app[web]: ${PAIRS}`,
      `I, [2026-11-21T10:00:00.000001 #7] INFO -- : ${PAIRS}`,
      `ts=1795255200.000 ${PAIRS}`,
      `2020-01-01T00:00:00Z level=info time=2026-11-21T10:00:00Z ${PAIRS}`,
    ]
  ) assertEquals(readAs(`${line}\n`, "logfmt"), [FOUND], line);
});

Deno.test("logfmt: reads quoted values with escapes, empty values and duration units", () => {
  const line = (rest: string) => readAs(`time=2026-11-21T10:00:00Z ${rest}\n`, "logfmt");
  assertEquals(line('msg="a \\"b\\" method=PUT" empty= method=GET path="/a b" status=200'), [
    { ...FOUND, request: "GET /a b" },
  ]);
  for (
    const [text, took] of [
      ["12", 12],
      ["12.5ms", 12.5],
      ["1.5s", 1_500],
      ["250us", 0.25],
      ["250µs", 0.25],
      ["250μs", 0.25],
      ["750000ns", 0.75],
      ["soon", undefined],
      ["s", undefined],
    ] as const
  ) {
    const expected = took === undefined ? FOUND : { ...FOUND, took };
    assertEquals(line(`${PAIRS} duration=${text}`), [expected], text);
  }
});

Deno.test("logfmt: skips lines without a timestamp, a request or a closing quote", () => {
  for (
    const line of [PAIRS, "time=2026-11-21T10:00:00Z level=info", 'time=2026-11-21T10:00:00Z m="a']
  ) assertEquals(readAs(`${line}\n`, "logfmt"), [], line);
});
