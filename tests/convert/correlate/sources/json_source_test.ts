import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { query } from "json-p3";
import {
  forEachLeaf,
  formatJsonPath,
} from "../../../../src/convert/correlate/sources/json_source.ts";

const json = fc.json({ stringUnit: "binary" }).map((text) => JSON.parse(text));

Deno.test("an RFC 9535 implementation finds every reachable leaf at the path from formatJsonPath", () => {
  fc.assert(fc.property(json, (value) => {
    forEachLeaf(value, (leaf, _key, path) => {
      const expression = formatJsonPath(path);
      if (expression !== undefined) assertEquals(query(expression, value).values(), [leaf]);
    });
  }));
});

Deno.test("forEachLeaf visits each leaf once, in document order", () => {
  fc.assert(fc.property(json, (value) => {
    const leaves: unknown[] = [];
    forEachLeaf(value, (leaf) => leaves.push(leaf));
    assertEquals(leaves, leavesOf([value]));
  }));
});

Deno.test("forEachLeaf accepts JSON nested 100,000 levels deep", () => {
  const depth = 100_000;
  const value = JSON.parse(`${'{"a":['.repeat(depth)}7${"]}".repeat(depth)}`);
  let expression: string | undefined;
  forEachLeaf(value, (_leaf, _key, path) => expression = formatJsonPath(path));
  assertEquals(expression, "$" + ".a[0]".repeat(depth));
});

Deno.test("formatJsonPath uses the shorthand where RFC 9535 allows it, and quotes other names", () => {
  assertEquals(formatJsonPath(["\x01", 0]), undefined);
  const value = { a: { "odd key": [{ "it's": { "\n\\": { _b1: 1 } } }] } };
  forEachLeaf(value, (_leaf, key, path) => {
    assertEquals(key, "_b1");
    assertEquals(
      formatJsonPath(path),
      "$.a['odd key'][0]['it\\'s']['\\n\\\\']._b1",
    );
  });
});

function leavesOf(value: object): unknown[] {
  return Object.values(value).flatMap((member) =>
    typeof member === "object" && member !== null ? leavesOf(member) : [member]
  );
}
