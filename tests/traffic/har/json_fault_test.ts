import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { findJsonFault } from "../../../src/traffic/har/json_text.ts";
import { damage, damages } from "../../builders/mutate.ts";

const encode = (text: string) => new TextEncoder().encode(text);

const FAULTS: [text: string, offset: number, reason: string][] = [
  ["", 0, "found the end, expected a value"],
  ["nul", 0, 'found "n", expected a value'],
  ["1 2", 2, 'found "2", expected nothing more'],
  ["[1,]", 3, 'found "]", expected a value'],
  ['{"a":1,}', 7, 'found "}", expected a name in double quotes'],
  ["{'a':1}", 1, 'found "\'", expected a name in double quotes'],
  ['{"a" 1}', 5, 'found "1", expected `:`'],
  [
    '"a\nb"',
    2,
    'found "\\n", expected an escape, because a string cannot contain control characters',
  ],
  ['"a\\x"', 2, 'found "\\\\", expected an escape such as `\\n` or `\\u0041`'],
  ['"ab', 3, "the text ends within a string"],
  ["-", 0, 'found "-", expected a value'],
  ["[01]", 2, 'found "1", expected `,` or `]`'],
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
