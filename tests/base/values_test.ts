import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parse } from "yaml";
import { ExactNumber, parseExactJson, PlainScalar } from "../../src/base/exact_number.ts";
import {
  bytes,
  durationMs,
  formatMs,
  formatNumber,
  percent,
  plural,
  sparkline,
  time,
} from "../../src/base/format.ts";
import { framedJson, messageJson } from "../../src/base/frames.ts";
import { random } from "../../src/base/random.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { jsonNumbers, TRICKY_NUMBERS } from "../builders/json_numbers.ts";
import { MESSAGES } from "./frame_messages.ts";

const space = fc.constantFrom("", " ", "\n", "\t \r\n");

Deno.test("parseExactJson keeps the original text of every number", () => {
  fc.assert(fc.property(fc.array(jsonNumbers), space, (numbers, gap) => {
    const text = (gap: string) =>
      `{"n":[${numbers.map((number) => number + gap).join(",")}],"s":"1.10,","m":{"k":1}${gap}}`;
    assertEquals(JSON.stringify(parseExactJson(text(gap))), text(""));
  }));
  fc.assert(fc.property(jsonNumbers, space, (number, gap) => {
    assertEquals(JSON.stringify(parseExactJson(number + gap)), number);
  }));
});

Deno.test("parseExactJson returns the same value as JSON.parse if JavaScript prints all numbers as written", () => {
  const text =
    '{"a":9007199254740991,"b":[0.5,-3,0.000001,123456.75],"c":"1e5","d":"9007199254740993"}';
  assertEquals(parseExactJson(text), JSON.parse(text));
  fc.assert(fc.property(fc.json(), (text) => {
    const doubles = JSON.stringify(
      parseExactJson(text),
      (_, value) => value instanceof ExactNumber ? Number(value.text) : value,
    );
    assertEquals(JSON.parse(doubles), JSON.parse(JSON.stringify(JSON.parse(text))));
  }));
});

Deno.test("parseYaml keeps the original text of JSON numbers in every position", () => {
  for (const number of TRICKY_NUMBERS) {
    const text = `
block: ${number}
flow: [${number},{"n":${number}}, {n: ${number} } ]
anchored: &n ${number} # ${number}
alias: *n
shared: &m {n: ${number}}
again: *m
quoted: "${number}"
text: ${number} of 3
tagged text: !!str ${number}
folded: >
  ${number}
? ${number}
: key
`;
    const quoted = (inner: string) => inner.replaceAll("#", number);
    assertEquals(
      JSON.stringify(
        parseYaml(text.replace(/^(tagged: .*)\n/m, number.includes("-0") ? "" : "$1\n")),
      ),
      quoted(
        '{"block":#,"flow":[#,{"n":#},{"n":#}],"anchored":#,"alias":#,"shared":{"n":#},' +
          '"again":{"n":#},' +
          '"quoted":"#","text":"# of 3","tagged text":"#","folded":"#\\n","#":"key"}',
      ),
    );
  }
});

Deno.test("parseYaml keeps the original text of numbers with an explicit tag", () => {
  const text = "{a: !!float 1.10, b: !!float 9007199254740993, c: !!null ~}";
  assertEquals(JSON.stringify(parseYaml(text)), '{"a":1.10,"b":9007199254740993,"c":null}');
});

Deno.test("parseYaml returns JavaScript numbers for notations that are not valid in JSON", () => {
  assertEquals(parseYaml("[1.0, 0x10, 0o17, +5, .5, 1., .inf, 017]"), [
    ...(parseYaml("[1.0]") as unknown[]),
    16,
    15,
    5,
    .5,
    1,
    Infinity,
    17,
  ]);
  assertEquals(
    JSON.stringify(parseYaml("[+9007199254740993, 0x20000000000001]")),
    "[9007199254740993,9007199254740993]",
  );
});

Deno.test("parseYaml keeps the original text of numbers in maps with non-string keys", () => {
  const text = "{~: {n: 1.0}, True: {n: 1.0}, 0x10: {n: 1.0}, 1.5: {n: 1.0}, 2: {n: 1.0}}";
  assertEquals(
    JSON.stringify(parseYaml(text, { keepPlain: true })),
    '{"2":{"n":1.0},"null":{"n":1.0},"True":{"n":1.0},"0x10":{"n":1.0},"1.5":{"n":1.0}}',
  );
});

Deno.test("parseYaml accepts a map that contains an alias of itself", () => {
  const map = parseYaml("a: &a {n: 1.10, self: *a}") as { a: { self: unknown } };
  assertEquals(map.a.self, map.a);
});

Deno.test("parseYaml finds the scalars without quotes whose text matters", () => {
  const text = `
plain: [0777, 0o17, 1_000, 1:30, 0b11, yes, Off, n, True, 1.10, 010 , +5]
same: [5, -1.5, true, false, null, no such, 10s, 2024-01-01, yes.html, y:z, 1.2.3, "q":yes]
quoted: ["0777", '0o17', "yes", "a: 0777", "[yes, no]"]
block: |
  0777
  - yes
folded: >-
  x: 0777
alone: |-
  0777
0777: yes
next:
  0777
flow: {a:0777, "b":0777, c: [
  yes,
  0o17
]}
list:
- 0777 # comment
- - no
  - ? 0777
anchor: &a 0777
alias: *a
tag: !!str 0777
`;
  const written: string[] = [];
  const visit = (value: unknown) => {
    if (value instanceof PlainScalar) written.push(value.written);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
  };
  const parsed = parseYaml(text, { keepPlain: true }) as Record<string, unknown>;
  visit(parsed);
  assertEquals(written, [
    ...["0777", "0o17", "1_000", "1:30", "0b11", "yes", "Off", "n", "True", "010", "+5", "yes"],
    ...["yes", "0777", "0777", "yes", "0o17", "0777", "no", "0777", "0777"],
  ]);
  assertEquals(parsed.block, "0777\n- yes\n");
  assertEquals(parsed.folded, "x: 0777");
  assertEquals(parsed.quoted, ["0777", "0o17", "yes", "a: 0777", "[yes, no]"]);
  assertEquals([parsed.alone, parsed.tag], ["0777", "0777"]);
});

const PLAIN = [
  ...["0777", "0o17", "0x1F", "yes", "No", "y", "True", "1.10", "-0", "1_000", "1:30", "+5"],
];
const OTHER = [
  ...["say yes", "10s", "a0777", "null", "~", "5", "-1.5", "1e3", ".5", "0b11", "2024-01-01"],
];
const scalar = fc.oneof(
  fc.constantFrom(...PLAIN, ...OTHER),
  fc.constantFrom(...PLAIN, "a: 0777", "- yes", "[no, 010]").map((text) => JSON.stringify(text)),
  fc.constantFrom(...PLAIN, "it''s").map((text) => `'${text}'`),
);
/** Deeper than the block that contains the flow collection. */
const INDENT = " ".repeat(12);
const name = fc.constantFrom("a", "b", "c", '"0777"', "yes", '"x: 010"');
const text = fc.constantFrom(...PLAIN, "- 0777", "a: yes", "say 0777");

/** Generates the text of a flow collection. */
const { flow } = fc.letrec<{ flow: string }>((tie) => {
  const space = fc.constantFrom("", " ", `\n${INDENT}`, ` # yes\n${INDENT}`);
  const item = fc.oneof({ maxDepth: 2 }, scalar, tie("flow"));
  const between = fc.tuple(space, space).map(([a, b]) => `${a},${b || " "}`);
  const listed = (items: fc.Arbitrary<string>, [open, close]: string) =>
    fc.tuple(fc.array(items, { maxLength: 4 }), between, space)
      .map(([items, between, end]) => open + items.join(between) + end + close);
  const pair = fc.tuple(name, item).map(([name, item]) => `${name}: ${item}`);
  return {
    flow: fc.oneof(
      listed(item, "[]"),
      fc.uniqueArray(pair, { selector: (pair) => pair.split(":")[0], maxLength: 3 })
        .map((pairs) => `{${pairs.join(", ")}}`),
    ),
  };
});

/** Generates YAML in block style: the lines of a map or a list. */
const { block } = fc.letrec<{ block: string[] }>((tie) => {
  const value = fc.oneof(
    { maxDepth: 3 },
    fc.oneof(scalar, flow).map((text) => [` ${text}`]),
    fc.tuple(scalar, fc.constantFrom("  ", "")).map(([text, gap]) => [`${gap} ${text} # yes`]),
    scalar.map((text) => ["", `  ${text}`]),
    fc.tuple(fc.constantFrom("|", "|-", ">-", ">+"), fc.array(text, { minLength: 1, maxLength: 2 }))
      .map(([style, lines]) => [` ${style}`, ...lines.map((line) => `  ${line}`)]),
    tie("block").map((lines) => ["", ...lines.map((line) => `  ${line}`)]),
  );
  const join = (start: string, [first, ...rest]: string[]) => [start + first, ...rest];
  return {
    block: fc.oneof(
      { maxDepth: 3 },
      fc.array(value, { minLength: 1, maxLength: 3 })
        .map((values) => values.flatMap((value) => join("-", value))),
      fc.uniqueArray(fc.tuple(name, value), { selector: ([name]) => name, minLength: 1 })
        .map((pairs) => pairs.flatMap(([name, value]) => join(`${name}:`, value))),
    ),
  };
});

Deno.test("parseYaml returns the same values as another parser of YAML 1.2", () => {
  fc.assert(fc.property(block, (lines) => {
    const source = lines.join("\n") + "\n";
    const plain = (value: unknown) =>
      JSON.parse(JSON.stringify(value, (_, item) => Object.is(item, -0) ? 0 : item));
    let expected: unknown;
    try {
      expected = parse(source);
    } catch {
      return; // Not valid, such as a map in a key.
    }
    assertEquals(plain(parseYaml(source)), plain(expected), source);
  }));
});

Deno.test("framedJson finds the JSON in the frames of known protocols, and nowhere else", () => {
  for (const [text, json] of MESSAGES) {
    assertEquals(framedJson(text)?.json, json, text);
    assertEquals(messageJson(text), json ?? text, text);
  }
});

Deno.test("framedJson returns the ranges of the JSON in a message, and none if the frame escapes the JSON", () => {
  const found = (text: string) =>
    framedJson(text)?.ranges.map(([start, end]) => text.slice(start, end));
  assertEquals(found('42/a,["created",{"id":7}]'), ['["created",{"id":7}]']);
  assertEquals(found('MESSAGE\nid:1\n\n{"id":7}\0\n'), ['{"id":7}']);
  assertEquals(found('{"id":7}\x1e\n[8]\x1e'), ['{"id":7}', "\n[8]"]);
  assertEquals(found('a["{\\"id\\":7}"]'), []);
});

Deno.test("framedJson does not hang on long text that resembles frames", () => {
  const long = "x".repeat(200_000);
  for (
    const text of [
      `42/${long}`,
      `4${"0".repeat(200_000)}`,
      `MESSAGE\n${"a:b\n".repeat(50_000)}`,
      `MESSAGE\n${long}`,
      `MESSAGE\n\n${"\0".repeat(50_000)}x`,
      `a[${"[".repeat(50_000)}`,
      // More headers than a regular expression can store positions to return to.
      `MESSAGE\n${"a:b\n".repeat(4_000_000)}`,
    ]
  ) assertEquals(framedJson(text), undefined);
});

Deno.test("`time` formats a duration with three significant digits and a unit in at most six characters", () => {
  const cases: [number, string][] = [
    [0, "0s"],
    [0.0004, "0s"],
    [0.085, "85µs"],
    [0.9994, "999µs"],
    [0.9996, "1ms"],
    [1.2345, "1.23ms"],
    [12.345, "12.3ms"],
    [999.4, "999ms"],
    [999.6, "1s"],
    [4_567, "4.57s"],
    [59_949, "59.9s"],
    [59_951, "1m"],
    [754_000, "12m34s"],
  ];
  assertEquals(cases.map(([ms]) => time(ms)), cases.map(([, text]) => text));
  fc.assert(fc.property(fc.double({ min: 0, max: 3.5e6, noNaN: true }), (ms) => {
    return time(ms).length <= 6;
  }));
});

Deno.test("`percent` formats only 0 as 0% and only 1 as 100%", () => {
  const shares = [0, 0.00001, 0.0208, 0.999999, 1];
  assertEquals(shares.map(percent), ["0.00%", "<0.01%", "2.08%", "99.99%", "100.00%"]);
});

Deno.test("`bytes`, `formatNumber` and `plural` format typical values", () => {
  assertEquals([0, 999, 1_000, 12_345_678, 5e15].map(bytes), [
    "0 B",
    "999 B",
    "1 kB",
    "12.3 MB",
    "5000 TB",
  ]);
  assertEquals([0.05, 49.98, 1_234.5].map(formatNumber), ["0.05", "49.98", "1,235"]);
  assertEquals([plural(1, "VU"), plural(12_000, "VU")], ["1 VU", "12,000 VUs"]);
});
Deno.test("sparkline draws the highest value as a full bar and only 0 as a space", () => {
  assertEquals(sparkline([0, 1, 50, 100]), " ▁▄█");
  assertEquals(sparkline([0, 0]), "  ");
  assertEquals(sparkline([]), "");
});

Deno.test("durationMs parses every notation of a duration", () => {
  const table: [string | number, number | undefined][] = [
    ["300ms", 300],
    ["30s", 30_000],
    ["1m30s", 90_000],
    ["1h", 3_600_000],
    ["2d", 172_800_000],
    ["1.5s", 1_500],
    ["45", 45_000],
    [45, 45_000],
    [0, 0],
    [-1, undefined],
    [Infinity, undefined],
    ["", undefined],
    ["s", undefined],
    ["10 s", undefined],
    ["10sec", undefined],
    ["-5s", undefined],
    ["1e3", undefined],
  ];
  for (const [text, ms] of table) assertEquals(durationMs(text), ms, `durationMs(${text})`);
});

Deno.test("formatMs uses at most two units", () => {
  const table: [number, string][] = [
    [0, "0ms"],
    [850, "850ms"],
    [1_500, "1.5s"],
    [12_345, "12s"],
    [59_999, "1m"],
    [130_000, "2m10s"],
    [3_600_000, "1h"],
    [3_905_000, "1h5m"],
    [90_000_000, "1d1h"],
  ];
  for (const [ms, words] of table) assertEquals(formatMs(ms), words);
});

Deno.test("durationMs parses durations formatted by formatMs", () => {
  fc.assert(fc.property(fc.integer({ min: 10, max: 3_599 }), (seconds) => {
    assertEquals(durationMs(formatMs(seconds * 1_000)), seconds * 1_000);
  }));
});

Deno.test("random number generators return the same sequence only if they have the same seeds", () => {
  const draw = (...seeds: number[]) => {
    const stream = random(...seeds);
    return Array.from({ length: 5 }, () => stream.next());
  };
  assertEquals(draw(1, 2), draw(1, 2));
  const streams = [draw(1), draw(2), draw(1, 2), draw(2, 1), draw(1, 2, 0), draw(2 ** 32 + 1)];
  assertEquals(new Set(streams.map(String)).size, streams.length);
});
