import { assertEquals } from "@std/assert";
import { parseExactJson } from "../../../src/base/exact_json.ts";
import { losesWhenRewritten } from "../../../src/traffic/session/json_tree.ts";

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
