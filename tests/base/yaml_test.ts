import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parse } from "yaml";
import { PlainScalar } from "../../src/base/exact_number.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { TRICKY_NUMBERS } from "../builders/json_numbers.ts";

Deno.test("parseYaml keeps the original text of JSON numbers in every position", () => {
  // `@std/yaml` does not resolve an alias of a zero.
  for (const number of TRICKY_NUMBERS.filter((number) => Number(number) !== 0)) {
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
    JSON.stringify(parseYaml(text)),
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
