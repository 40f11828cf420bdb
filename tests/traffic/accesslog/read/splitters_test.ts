import { detectFormat } from "../../../../src/traffic/accesslog/formats/formats.ts";
import {
  parseApachePattern,
  parseNginxPattern,
} from "../../../../src/traffic/accesslog/formats/server_patterns.ts";
import { SLACK } from "../../../../src/traffic/accesslog/read/field_text.ts";
import {
  columnSplitter,
  jsonSplitter,
} from "../../../../src/traffic/accesslog/read/named_splitters.ts";
import {
  FIELDS,
  type LineSplitter,
  Spans,
} from "../../../../src/traffic/accesslog/read/log_format.ts";
import { patternSplitter } from "../../../../src/traffic/accesslog/read/text_splitters.ts";
import { assert, assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import {
  slowJson,
  slowPattern,
  type SlowSplitter,
  slowW3c,
} from "../../../oracles/slow_splitters.ts";

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

function assertMatchesSlow(
  splitter: LineSplitter,
  slow: SlowSplitter,
  lines: fc.Arbitrary<string>,
) {
  fc.assert(
    fc.property(lines, fc.integer({ min: 0, max: 9 }), (line, before) => {
      assertEquals(split(splitter, line, before), slow(line));
    }),
  );
}

const text = (unit: string) =>
  fc.string({ unit: fc.constantFrom(...unit), maxLength: 14 }).filter((line) => line.length > 0);

for (
  const { lines: { pattern } } of [
    parseNginxPattern("$msec|$request_method|$uri$is_args$args|$status|$http_user_agent"),
    parseNginxPattern('[$time_local] "$request" $status "$http_referer" "$http_user_agent"'),
    parseNginxPattern("$remote_addr -- $time_iso8601 -- $request_uri"),
    parseApachePattern('%h %t \\"%r\\" %>s %{ms}T \\"%{User-Agent}i\\"'),
  ]
) {
  const literals = [pattern.before, ...pattern.pieces.map(({ delimiter }) => delimiter)];
  Deno.test(`patternSplitter finds the same fields as a regular expression in lines like ${literals.join("…")}`, () => {
    const field = fc.oneof(text('ab "\\|-?]é'), fc.constant(""), fc.constant("/a?b-"));
    const line = fc.tuple(...literals.map((literal) => fc.tuple(fc.constant(literal), field)))
      .map((parts) => parts.flat().join(""));
    assertMatchesSlow(
      patternSplitter(pattern),
      slowPattern(pattern),
      fc.oneof(line, text('" |-a')),
    );
  });
}

for (const separator of [" ", "\t"] as const) {
  Deno.test(`columnSplitter finds the same fields as String.split with the separator ${JSON.stringify(separator)}`, () => {
    const names = { date: "date", time: "time", "cs-method": "method", "sc-status": "status" };
    const columns = "date time x cs-method time sc-status y";
    const words = fc.array(text("ab!\u0001é-"), { maxLength: 12 });
    const line = words.map((all) => `x${all.join(separator)}`);
    assertMatchesSlow(
      columnSplitter(separator, columns, undefined),
      slowW3c(separator, names, columns),
      line,
    );
  });
}

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

Deno.test("splitters never record a field outside the line", () => {
  const splitters = [
    jsonSplitter({ a: "time", b: { a: "target" } }),
    columnSplitter(" ", "date time cs-method", undefined),
    patternSplitter(parseNginxPattern('$msec "$request" $status').lines.pattern),
  ];
  const line = text('{}[]",:\\ ab1');
  fc.assert(
    fc.property(line, fc.integer({ min: 0, max: 5 }), fc.nat(2), (noise, before, i) => {
      split(splitters[i], noise, before);
    }),
  );
});

Deno.test("detectFormat detects the format even if the given part of the log ends within a line", () => {
  const line = '10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET /a HTTP/1.1" 200 1 "-" "x"\n';
  for (let length = line.indexOf('"'); length < line.length; length++) {
    const head = new TextEncoder().encode(line + line.slice(0, length));
    assertEquals(detectFormat(head)?.name, "combined");
  }
});
