import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { closingQuote, hasOtherEscapes, readJsonBody } from "../../../src/traffic/har/json_text.ts";

Deno.test("readJsonBody rejects JSON that changes when it is rewritten", () => {
  for (
    const text of [
      '{"a":1,"b":{"c":1,"c":1}}',
      '{"a":[{"__proto__":1}]}',
      '{"a":[{"\\u005f_proto__":1}]}',
      '{"b":1,"1":2}',
      "[".repeat(65) + "]".repeat(65),
      "{a:1}",
    ]
  ) assertEquals(readJsonBody(text), undefined, text);
  for (
    const text of [
      '{"a":1.0,"b":1e3,"c":-0.5,"d":0.1,"e":9007199254740991,"f":"12345678901234567890"}',
      '{"a:b":"c:d","e":["{\\"f\\":1}"]}',
      '{"a":0.30000000000000004,"b":12345678901234567890,"c":1e999,"d":-0,"e":[1.10]}',
      "[".repeat(64) + "]".repeat(64),
      '"\\\\"',
      ' { "a" :\t[ 1 ,\r\n"b c" ] } ',
      '{"a":"\\u00e9\\/\\ud800"}',
    ]
  ) assertEquals(readJsonBody(text) !== undefined, true, text);
});

Deno.test("hasOtherEscapes detects escape sequences that JavaScript does not write", () => {
  for (const string of ['"\\u00e9"', '"\\/"', '"\\u003d"', '{"\\u0061":1}', '"\\uD800"']) {
    assertEquals(hasOtherEscapes(string), true, string);
  }
  for (const string of ['"é"', '"\\n\\"\\\\"', '"\\u0001"', ' [ "\\n" ]', '"\\ud800"']) {
    assertEquals(hasOtherEscapes(string), false, string);
  }
});

Deno.test("readJsonBody reads JSON with a string of several megabytes", () => {
  const text = JSON.stringify({ file: "a".repeat(2 ** 23), quote: '\\":{[', last: [1] });
  assertEquals(readJsonBody(text) !== undefined, true);
});

Deno.test("closingQuote finds the end that a regular expression finds", () => {
  const pieces = fc.array(fc.constantFrom('"', "\\", "a", "{", "\\\\", '\\"'), { maxLength: 12 });
  fc.assert(fc.property(pieces.map((all) => all.join("")), (text) => {
    const [content, end] = /^((?:[^"\\]|\\.)*)("?)/.exec(text)!.slice(1);
    assertEquals(closingQuote(text, 0), end === "" ? text.length : content.length);
  }));
});
