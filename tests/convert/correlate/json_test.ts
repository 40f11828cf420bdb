import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { query } from "json-p3";
import { parseExactJson } from "../../../src/base/exact_json.ts";
import { forEachLeaf } from "../../../src/convert/correlate/json_leaves.ts";
import { losesWhenRewritten } from "../../../src/traffic/session/json_loss.ts";
import {
  appendStep,
  formatJsonPath,
  isReachable,
} from "../../../src/convert/correlate/json_path.ts";

const json = fc.json({ stringUnit: "binary" }).map((text) => JSON.parse(text));

Deno.test("an RFC 9535 implementation finds every reachable leaf by its path", () => {
  fc.assert(fc.property(json, (value) => {
    forEachLeaf(value, (leaf, _key, parent, step) => {
      if (!isReachable(appendStep(parent, step))) return;
      assertEquals(query(formatJsonPath(appendStep(parent, step)), value).values(), [leaf]);
    });
  }));
});

Deno.test("visits leaves in document order, each once", () => {
  fc.assert(fc.property(json, (value) => {
    const leaves: unknown[] = [];
    forEachLeaf(value, (leaf) => leaves.push(leaf));
    assertEquals(leaves, leavesOf([value]));
  }));
});

Deno.test("visits JSON nested 100,000 deep", () => {
  const depth = 100_000;
  const value = JSON.parse(`${'{"a":['.repeat(depth)}7${"]}".repeat(depth)}`);
  let path = "";
  forEachLeaf(
    value,
    (_leaf, _key, parent, step) => path = formatJsonPath(appendStep(parent, step)),
  );
  assertEquals(path, "$" + ".a[0]".repeat(depth));
});

Deno.test("paths use the shorthand where RFC 9535 allows it, and quotes elsewhere", () => {
  assertEquals(isReachable({ parent: { parent: undefined, step: "\x01" }, step: 0 }), false);
  const value = { a: { "odd key": [{ "it's": { "\n\\": { _b1: 1 } } }] } };
  forEachLeaf(value, (_leaf, key, parent, step) => {
    assertEquals(key, "_b1");
    assertEquals(
      formatJsonPath(appendStep(parent, step)),
      "$.a['odd key'][0]['it\\'s']['\\n\\\\']._b1",
    );
  });
});

Deno.test("rewriting loses only repeated names, __proto__ and depth", () => {
  const loses = (text: string) => losesWhenRewritten(text, parseExactJson(text));
  for (
    const text of [
      '{"a":1,"b":{"c":1,"c":1}}',
      '{"a":[{"__proto__":1}]}',
      "[".repeat(65) + "]".repeat(65),
    ]
  ) assertEquals(loses(text), true, text);
  for (
    const text of [
      '{"a":1.0,"b":1e3,"c":-0.5,"d":0.1,"e":9007199254740991,"f":"12345678901234567890"}',
      '{"a:b":"c:d","e":["{\\"f\\":1}"]}',
      '{"a":0.30000000000000004,"b":12345678901234567890,"c":1e999,"d":-0,"e":[1.10]}',
      "[".repeat(64) + "]".repeat(64),
      '"\\\\"',
    ]
  ) assertEquals(loses(text), false, text);
});

function leavesOf(value: object): unknown[] {
  return Object.values(value).flatMap((member) =>
    typeof member === "object" && member !== null ? leavesOf(member) : [member]
  );
}
