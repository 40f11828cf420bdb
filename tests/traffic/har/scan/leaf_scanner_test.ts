import { assert, assertEquals } from "@std/assert";
import fc, { RARE } from "fast-check";
import type { ScannedLeaf } from "../../../../src/traffic/har/scan/leaf_reader.ts";
import { LeafScanner } from "../../../../src/traffic/har/scan/leaf_scanner.ts";
import { forEachToken, longestToken } from "../../../../src/traffic/session/text_ranges.ts";
import { damage, damages } from "../../../builders/mutate.ts";
import {
  referenceEnd,
  type ReferenceLeaf,
  referenceLeaves,
} from "../../../oracles/json_text_reference.ts";

const encoder = new TextEncoder();

const texts = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "7",
    "1234",
    "x-1",
    "Bearer abc",
    "é",
    "abc-déf-0",
    "päth/to/it",
    "</a>",
  ),
  fc.array(fc.constantFrom("ab", "cdefgh", "é", "😀", "-", " ", "/", "0", '"', "\\", "\n"))
    .map((pieces) => pieces.join("")),
  fc.string(),
);
const numbers = fc.constantFrom(
  "0",
  "-0",
  "7",
  "1234",
  "1.50",
  "1e3",
  "12345678901234567890",
  "-5",
);
const names = fc.oneof(fc.constantFrom("id", "a", "token", "__proto__", "é"), fc.string());

/** Generates JSON text with white space, several notations of strings, and repeated names. */
const { value: jsonTexts } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    texts.map((text) => JSON.stringify(text)),
    texts.map((text) => JSON.stringify(text).replaceAll("/", "\\/").replaceAll("a", "\\u0061")),
    fc.oneof(numbers, fc.constantFrom("true", "false", "null")),
    fc.array(tie("value"), { maxLength: 4 }).map((items) => `[ ${items.join(" ,\n")}]`),
    fc.array(fc.tuple(names, tie("value")), { maxLength: 4 }).map((members) =>
      `{${members.map(([name, value]) => `${JSON.stringify(name)}: ${value}`).join(",")}\t}`
    ),
  ),
}));

/**
 * Reports whether `LeafScanner` must find a leaf, according to the documentation of `LeafScanner`.
 */
function isWanted(leaf: ReferenceLeaf, values: Set<string>, parts: Set<string>): boolean {
  // Negative numbers are never ids.
  if (leaf.isNumber && leaf.text.startsWith("-")) return false;
  if (values.has(leaf.text)) return true;
  if (leaf.isNumber || leaf.text.length < 4) return false;
  const tokens: string[] = [];
  forEachToken(leaf.text, (start, end) => tokens.push(leaf.text.slice(start, end)));
  const longest = leaf.text.slice(...longestToken(leaf.text));
  return (longest !== "" && values.has(longest)) || tokens.some((token) => parts.has(token));
}

Deno.test("LeafScanner finds every leaf that it searches for, and only in text that JSON.parse accepts", () => {
  let found = 0;
  fc.assert(
    fc.property(jsonTexts, fc.array(texts), fc.array(texts), damages, fc.boolean(), (
      json,
      values,
      parts,
      damages,
      isDamaged,
    ) => {
      const bytes = isDamaged ? damage(encoder.encode(json), damages) : encoder.encode(json);
      const scanner = new LeafScanner();
      for (const value of values) scanner.addValue(value.toWellFormed());
      for (const part of parts) scanner.addPart(part.toWellFormed());
      const leaves = scanner.find(bytes);
      const reference = referenceLeaves(new TextDecoder().decode(bytes));
      if (leaves === undefined) return;
      if (reference === undefined) throw new Error("the text is not JSON");
      const wanted = reference.filter((leaf) =>
        isWanted(leaf, new Set(values.map((v) => v.toWellFormed())), new Set(parts))
      );
      const key = ({ text, isNumber, path }: ReferenceLeaf) =>
        JSON.stringify({ text, isNumber, path });
      const all = new Set(reference.map(key));
      const scanned = new Set(leaves.map(key));
      for (const leaf of leaves) assert(all.has(key(leaf)), `not a leaf: ${key(leaf)}`);
      for (const leaf of leaves) assertStarts(leaf, bytes);
      for (const leaf of wanted) assert(scanned.has(key(leaf)), `missed: ${key(leaf)}`);
      found += wanted.length;
    }),
    RARE,
  );
  assert(found > 10, String(found));
});

const spaces = fc.constantFrom("", "", " ", "\n  ", " ".repeat(20));
const rowValues = fc.constantFrom(
  "1",
  "12",
  "1.5",
  "-1",
  "true",
  "null",
  '""',
  '"wanted"',
  '"other"',
  '"not-wanted"',
  `"${"long ".repeat(12)}"`,
  '{"id":12}',
  '[{"id":1},{"id":2, "a":"wanted"}]',
  "[]",
);

/** Generates rows with similar members, and whether no row repeats a name. */
const rows = fc.array(
  fc.subarray(["id", "a", "a-longer-name-than-16-bytes", "b", "id"], { minLength: 3 })
    .chain((names) =>
      fc.tuple(
        fc.constant(names),
        fc.array(fc.tuple(spaces, spaces, rowValues), { minLength: 5, maxLength: 5 }),
      )
    ),
  { minLength: 2, maxLength: 5 },
).map((rows) => ({
  isUnique: rows.every(([names]) => new Set(names).size === names.length),
  items: rows.map(([names, members]) =>
    names.map((name, i) => {
      const [before, after, value] = members[i];
      return `${before}"${name}"${after}:${before}${value}${after}`;
    }).join(",")
  ),
}));

Deno.test("LeafScanner finds the leaves of objects that are similar to the objects before them", () => {
  const scanner = new LeafScanner();
  scanner.addValue("wanted");
  scanner.addValue("12");
  fc.assert(
    fc.property(rows, spaces, ({ items, isUnique }, space) => {
      const json = `[${items.map((item) => `{${item}}`).join(`,${space}`)}]`;
      const leaves = scanner.find(encoder.encode(json));
      assertEquals(leaves !== undefined, isUnique);
      const wanted = referenceLeaves(json)!.filter(({ text }) =>
        text.endsWith("wanted") || text === "12"
      );
      if (leaves === undefined) return;
      assertEquals(leaves.map(({ text, isNumber, path }) => ({ text, isNumber, path })), wanted);
      for (const leaf of leaves) assertStarts(leaf, encoder.encode(json));
    }),
  );
});

Deno.test("LeafScanner expects the name of an earlier object only if the object does not have it", () => {
  const scanner = new LeafScanner();
  const find = (json: string) => scanner.find(encoder.encode(json));
  const members = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, i) => `"m${from + i}":0`).join();
  for (const count of [23, 24, 25, 26, 60]) {
    const object = `{${members(0, count)}}`;
    assertEquals(find(`[${object},${object}]`), []);
    assertEquals(find(`[${object},{${members(0, count - 1)},"m0":0}]`), undefined);
    assertEquals(find(`[${object},{"m1":0,${members(1, count)}}]`), undefined);
    assertEquals(find(`[${object},{${members(1, count)},"m0":0}]`), []);
  }
});

/**
 * Checks the start offsets of the objects and lists around a leaf: from each one, the rest of the
 * path must lead to the leaf.
 */
function assertStarts({ text, path, starts }: ScannedLeaf, bytes: Uint8Array): void {
  assertEquals(starts.length, path.length);
  for (const [i, start] of starts.entries()) {
    const { end } = referenceEnd(bytes.subarray(start), Infinity);
    let value = JSON.parse(new TextDecoder().decode(bytes.subarray(start, start + end!)));
    for (const step of path.slice(i)) value = value[step];
    if (typeof value === "string") assertEquals(value, text);
    else assertEquals(value, Number(text));
  }
}

Deno.test("LeafScanner rejects objects with repeated names", () => {
  const scanner = new LeafScanner();
  scanner.addValue("7");
  const find = (json: string) => scanner.find(encoder.encode(json));
  assertEquals(find('{"a":7,"a":8}'), undefined);
  assertEquals(find('[{"a":7},{"a":8},{"b":{"a":1}}]')?.length, 1);
  assertEquals(find('{"abcdefgh1":7,"abcdefgh2":8,"abcdefgh1":9}'), undefined);
});

Deno.test("LeafScanner rarely returns leaves that it does not search for", () => {
  const scanner = new LeafScanner();
  for (let i = 0; i < 10_000; i++) scanner.addValue(crypto.randomUUID());
  const items = Array.from({ length: 10_000 }, (_, id) => ({ id, key: crypto.randomUUID() }));
  const found = scanner.find(encoder.encode(JSON.stringify(items)))!;
  assert(found.length < 200, String(found.length));
});

Deno.test("LeafScanner returns undefined if the text exceeds its limits", () => {
  const scanner = new LeafScanner();
  scanner.addValue("x");
  const find = (json: string) => scanner.find(encoder.encode(json));
  assertEquals(find("[".repeat(512) + "]".repeat(512)), []);
  assertEquals(find("[".repeat(513) + "]".repeat(513)), undefined);
  assertEquals(find(JSON.stringify(Array(10_000).fill("x")))?.length, 10_000);
  assertEquals(find(JSON.stringify(Array(100_000).fill("x"))), undefined);
  const members = (count: number) =>
    JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`m${i}`, 0])));
  assertEquals(find(members(80_000)), []);
  assertEquals(find(members(80_001)), undefined);
  assertEquals(find(members(80_000)), []);
});
