import { assert, assertEquals } from "@std/assert";
import fc, { RARE } from "fast-check";
import { parseYaml } from "../../../src/base/yaml.ts";
import { BlockPlaces, mapTree } from "../../../src/plan/source/positions.ts";
import { isBlockStyle } from "../../../src/plan/load_plan.ts";
import type { Path } from "../../../src/plan/rules/diagnostic.ts";

/** Lines of a value's YAML source, without the indentation of the parent. */
type Lines = readonly string[];

const simple = fc.constantFrom("a", "10s", "http://a.b/c?d=e#f", "-1", "a b", "'a # b'", '"a: b"');
const hostile = fc.constantFrom(
  ..."a,10s,http://a.b/c?d=e#f,1.5,-1,- 1,true,~,a b,${vars.x},'it''s',\"a\\\"b\",'a # b',$,a:b,a #b"
    .split(","),
  ..."null,=,;,%,@,`,#,!t a,&x a,*x,-,--,---,...,?,? a,: a,>a,|,[],[a],{},{a: 1},é,\ta,a\tb,a\u2028b"
    .split(","),
  "a\n  b",
  "'a\n  b'",
  '"a\n  b: c"',
  "|\n  a\n  b: c",
  ">-\n  - a",
  "a\n  - b",
);
const scalar = fc.oneof({ weight: 12, arbitrary: simple }, { weight: 1, arbitrary: hostile })
  .map((text) => text.split("\n"));
const key = fc.constantFrom(
  "a",
  "b",
  "a_b",
  "d",
  "e",
  "f",
  "g",
  "c.d",
  "x-y",
  '"a b"',
  "'q'",
  "? k",
  "1",
  "true",
);
const noise = fc.oneof(
  { weight: 30, arbitrary: fc.constantFrom("", "", "", "# comment", "  # deeper", "#", "   ") },
  { weight: 1, arbitrary: fc.constant("---") },
);
const tail = fc.constantFrom("", "", "", "", "", "", "", "", "", " # comment", "  ", "#c");
const step = fc.constantFrom(0, 1, 2, 2, 2, 2, 2, 2, 4);

const { value } = fc.letrec<{ value: Lines; map: Lines; list: Lines }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalar, tie("map"), tie("list")),
  map: fc.uniqueArray(fc.tuple(noise, key, tail, step, fc.option(tie("value"), { freq: 5 })), {
    minLength: 1,
    maxLength: 4,
    selector: ([, name]) => name,
  }).map((entries) =>
    entries.flatMap(([before, name, after, indent, value]) => [
      ...(before === "" ? [] : [before]),
      ...entry(`${name}:`, after, indent, value),
    ])
  ),
  list: fc.array(fc.tuple(noise, tail, step, fc.option(tie("value"), { freq: 5 }), fc.boolean()), {
    minLength: 1,
    maxLength: 4,
  }).map((items) =>
    items.flatMap(([before, after, indent, value, isInline]) => [
      ...(before === "" ? [] : [before]),
      ...(isInline && value !== null
        ? value.map((line, i) => (i === 0 ? "- " : "  ") + line)
        : entry("-", after, indent, value)),
    ])
  ),
}));

/**
 * Formats an entry: a one-line value on the line of `start`, any other value on indented lines
 * below it.
 */
function entry(start: string, after: string, indent: number, value: Lines | null): Lines {
  if (value === null) return [start + after];
  if (value.length === 1 && !value[0].endsWith(":")) return [`${start} ${value[0]}${after}`];
  return [start + after, ...value.map((line) => " ".repeat(indent) + line)];
}

function pathsOf(value: unknown, path: Path = []): Path[] {
  if (typeof value !== "object" || value === null) return [path, [...path, "a"], [...path, 0]];
  const below = Object.entries(value).flatMap(([key, item]) =>
    pathsOf(item, [...path, Array.isArray(value) ? Number(key) : key])
  );
  return [path, [...path, "not there"], [...path, 99], ...below];
}

function parsed(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    return undefined;
  }
}

Deno.test("BlockPlaces finds the same offsets as the YAML syntax tree in any block-style text", () => {
  let tested = 0;
  fc.assert(
    fc.property(value, (lines) => {
      const text = lines.join("\n") + "\n";
      const plan = parsed(text);
      if (plan === undefined || !isBlockStyle(text)) return;
      tested++;
      const [tree, blocks] = [mapTree(text, true), new BlockPlaces(text)];
      for (const path of pathsOf(plan)) {
        for (const atKey of [false, true]) {
          assertEquals(blocks.find(path, atKey), tree.find(path, atKey), JSON.stringify(path));
        }
      }
    }),
    RARE,
  );
  assert(tested > 100, `${tested}`);
});

Deno.test("isBlockStyle accepts only plans with one entry per line", () => {
  const plan = Deno.readTextFileSync(
    new URL("../../../testdata/plans/login.yaml", import.meta.url),
  );
  assertEquals(isBlockStyle(plan.replaceAll(/[{[].*/g, "x")), true);
  for (
    const text of [
      "a: [1]",
      "a: {b: 1}",
      "a: |\n  b",
      "a: &x 1",
      "a: *x",
      "a: 1\n  b",
      "- a\n  - b",
      "a: 'b\n  c'",
      "? a\n: b",
      "--- a",
      "a: b\r\n",
      "a:\tb",
      "a: !t b",
      "a:\n  b",
    ]
  ) assertEquals(isBlockStyle(text), false, text);
});
