import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { findJsonFault } from "../../../src/traffic/har/json_text.ts";
import { damage, damages } from "../../builders/mutate.ts";

const encode = (text: string) => new TextEncoder().encode(text);

const FAULTS: [text: string, offset: number, reason: string][] = [
  ["", 0, "the text ends before the value is complete"],
  ["nul", 3, "the text ends before the value is complete"],
  ["1 2", 2, 'found "2": unexpected non-whitespace character'],
  ["[1,]", 3, 'found "]": unexpected token'],
  ["\ufeff[true,fals}]", 13, 'found "}": unexpected token'],
  ['{"a":1,}', 7, 'found "}": expected double-quoted property name'],
  ['{"a" 1}', 5, "found \"1\": expected ':' after property name"],
  ['"a\nb"', 2, 'found "\\n": bad control character in string literal'],
  ['"a\\x"', 3, 'found "x": bad escaped character'],
  ['"ab', 3, "the text ends within a string"],
  ["[01]", 2, 'found "1": unexpected number'],
];

Deno.test("findJsonFault returns the position of a syntax error", () => {
  for (const [text, offset, reason] of FAULTS) {
    assertEquals(findJsonFault(encode(text)), { offset, reason }, text);
  }
});

Deno.test("findJsonFault finds a syntax error if and only if JSON.parse throws", () => {
  fc.assert(fc.property(fc.json(), damages, (json, damages) => {
    for (const bytes of [encode(json), damage(encode(json), damages)]) {
      assertEquals(findJsonFault(bytes) === undefined, parses(bytes));
    }
  }));
});

function parses(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes));
    return true;
  } catch {
    return false;
  }
}
