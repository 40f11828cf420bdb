import fc from "fast-check";
import { assertEquals } from "@std/assert";
import { parseExactJson } from "../../../src/base/exact_json.ts";
import { closingQuote, losesWhenRewritten } from "../../../src/traffic/session/json_tree.ts";

Deno.test("losesWhenRewritten detects repeated names, `__proto__` and deep nesting", () => {
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

Deno.test("losesWhenRewritten reads JSON with a string of several megabytes", () => {
  const text = JSON.stringify({ file: "a".repeat(2 ** 23), quote: '\\":{[', last: [1] });
  assertEquals(losesWhenRewritten(text, parseExactJson(text)), false);
});

Deno.test("closingQuote finds the end that a regular expression finds", () => {
  const pieces = fc.array(fc.constantFrom('"', "\\", "a", "{", "\\\\", '\\"'), { maxLength: 12 });
  fc.assert(fc.property(pieces.map((all) => all.join("")), (text) => {
    const [content, end] = /^((?:[^"\\]|\\.)*)("?)/.exec(text)!.slice(1);
    assertEquals(closingQuote(text, 0), end === "" ? text.length : content.length);
  }));
});
