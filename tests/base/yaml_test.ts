import { assertEquals } from "@std/assert";
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
  assertEquals(parseYaml("[1.0, 0x10, 1_000, +5, .5, .inf, 017]"), [
    ...(parseYaml("[1.0]") as unknown[]),
    16,
    1000,
    5,
    .5,
    Infinity,
    15,
  ]);
  assertEquals(
    JSON.stringify(parseYaml("[+9007199254740993, 9_007_199_254_740_993]")),
    "[9007199254740993,9007199254740993]",
  );
});

Deno.test("parseYaml keeps the original text of numbers in maps with non-string keys", () => {
  const text = "{~: {n: 1.0}, True: {n: 1.0}, 0x10: {n: 1.0}, 1.5: {n: 1.0}, 2: {n: 1.0}}";
  assertEquals(
    JSON.stringify(parseYaml(text)),
    '{"2":{"n":1.0},"16":{"n":1.0},"null":{"n":1.0},"true":{"n":1.0},"1.5":{"n":1.0}}',
  );
});

Deno.test("parseYaml accepts a map that contains an alias of itself", () => {
  const map = parseYaml("a: &a {n: 1.10, self: *a}") as { a: { self: unknown } };
  assertEquals(map.a.self, map.a);
});
