import { assert, assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { detectFormat } from "../../../../src/traffic/accesslog/formats/formats.ts";
import {
  parseApachePattern,
  parseNginxPattern,
} from "../../../../src/traffic/accesslog/formats/server_patterns.ts";
import { WholeLines } from "../../../../src/traffic/accesslog/log_scanner.ts";
import { SLACK } from "../../../../src/traffic/accesslog/read/field_text.ts";
import {
  FIELDS,
  type LineSplitter,
  Spans,
} from "../../../../src/traffic/accesslog/read/log_format.ts";
import {
  columnSplitter,
  jsonSplitter,
} from "../../../../src/traffic/accesslog/read/named_splitters.ts";
import { patternSplitter } from "../../../../src/traffic/accesslog/read/text_splitters.ts";
import {
  slowJson,
  slowPattern,
  type SlowSplitter,
  slowW3c,
} from "../../../oracles/slow_splitters.ts";
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

const LF = 0x0a;
const LONGEST = 1 << 20;

interface Line {
  readonly at: number;
  readonly text: string;
}

/**
 * Returns the lines that the sink receives for a log that is split into chunks at `cuts`. Shows
 * only the length of lines of more than 100 bytes.
 */
function passLines(log: Uint8Array, cuts: readonly number[]): Line[] {
  const lines: Line[] = [];
  const input = new WholeLines((bytes, view, from, to, base) => {
    view.getUint8(to - 1 + SLACK);
    for (let start = from; start < to;) {
      const end = bytes.indexOf(LF, start);
      lines.push({ at: base + start, text: shown(bytes.subarray(start, end)) });
      start = end + 1;
    }
  });
  let from = 0;
  for (const to of [...cuts, log.length]) {
    input.push(log.slice(from, to));
    from = to;
  }
  input.finish();
  return lines;
}

function shown(line: Uint8Array): string {
  return line.length > 100 ? `${line.length} bytes` : new TextDecoder().decode(line);
}

function log(...lengths: readonly number[]): Uint8Array {
  return new TextEncoder().encode(lengths.map((length) => `${"x".repeat(length)}\n`).join(""));
}

/**
 * Slow reference implementation of `passLines`. Requires that no line of `log` exceeds the maximum
 * length.
 */
function splitLines(log: Uint8Array): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < log.length;) {
    const end = log.indexOf(LF, at);
    const to = end < 0 ? log.length : end;
    lines.push({ at, text: shown(log.subarray(at, to)) });
    at = to + 1;
  }
  return lines;
}

Deno.test("WholeLines emits every line once and with its offset, regardless of how the input is divided into chunks", () => {
  const text = fc.array(fc.integer({ min: 0, max: 80 }), { maxLength: 12 }).map((lengths) =>
    log(...lengths)
  );
  const cuts = fc.array(fc.nat(400), { maxLength: 12 });
  fc.assert(
    fc.property(text, fc.nat(1), cuts, (whole, cut, cuts) => {
      const bytes = whole.subarray(0, whole.length - cut);
      const at = cuts.filter((cut) => cut <= bytes.length).sort((a, b) => a - b);
      assertEquals(passLines(bytes, at), splitLines(bytes));
    }),
  );
});

Deno.test("WholeLines emits a long line in full if the previous line ends at a chunk boundary", () => {
  assertEquals(passLines(log(200, LONGEST, 3), [211]), [
    { at: 0, text: "200 bytes" },
    { at: 201, text: `${LONGEST} bytes` },
    { at: LONGEST + 202, text: "xxx" },
  ]);
  assertEquals(passLines(log(200, LONGEST + 9, 3), [211, 300_000]), [
    { at: 0, text: "200 bytes" },
    { at: 201, text: `${LONGEST + 1} bytes` },
    { at: LONGEST + 211, text: "xxx" },
  ]);
});

Deno.test("WholeLines truncates an overlong line", () => {
  const second = LONGEST + 101;
  const lines = [
    { at: 0, text: `${LONGEST + 1} bytes` },
    { at: second, text: `${LONGEST + 1} bytes` },
    { at: 2 * second, text: "x" },
  ];
  for (let cut = second + LONGEST; cut < second + LONGEST + 50; cut++) {
    assertEquals(
      passLines(log(LONGEST + 100, LONGEST + 100, 1), [1_000, LONGEST + 50, cut]),
      lines,
    );
  }
});

Deno.test("WholeLines emits the line after an overlong line", () => {
  assertEquals(passLines(log(2 * LONGEST, 3), [2 * LONGEST + 2]), [
    { at: 0, text: `${LONGEST + 1} bytes` },
    { at: 2 * LONGEST + 1, text: "xxx" },
  ]);
});
