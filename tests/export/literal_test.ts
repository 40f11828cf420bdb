import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import {
  commentText,
  memberOf,
  Names,
  objectKey,
  patternLiteral,
  stringLiteral,
  templateText,
} from "../../src/export/javascript.ts";

/**
 * Generates strings of arbitrary UTF-16 code units, which may include lone surrogates and sequences
 * that could end a JavaScript literal.
 */
const HOSTILE = fc.array(
  fc.oneof(
    fc.string({ unit: ANY_CHARACTER }),
    fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    fc.constantFrom(
      ...[
        ...["'", '"', "`", "\\", "${", "$", "\n", "\r", "\u2028", "\u2029", "</script>", "<!--"],
        "-->",
      ],
      ...[
        ...["*/", "//", "';alert(1);'", "`;alert(1);`", "${alert(1)}", "\\'", "\0", "__proto__"],
        "]]>",
      ],
    ),
  ),
  { maxLength: 12 },
).map((parts) => parts.join(""));

const evaluate = (code: string): unknown => new Function(`"use strict"; return (${code});`)();

Deno.test("a string literal fits on one line and evaluates to the original text", () => {
  fc.assert(fc.property(HOSTILE, (text) => {
    const code = stringLiteral(text);
    assertEquals(evaluate(code), text);
    assertSafe(code);
  }));
});

Deno.test("text in a template literal evaluates to the original text, even before an expression", () => {
  fc.assert(fc.property(HOSTILE, HOSTILE, (before, after) => {
    const code = "`" + templateText(before) + "${1}" + templateText(after) + "`";
    assertEquals(evaluate(code), `${before}1${after}`);
    assertSafe(code);
  }));
});

Deno.test("objectKey and memberOf generate code for an object key or member access with any name, even a hostile one", () => {
  fc.assert(fc.property(HOSTILE, (name) => {
    const code = `({ ${objectKey(name)}: 1 })`;
    assertEquals(Object.getOwnPropertyNames(evaluate(code)), [name]);
    const object = `Object.fromEntries([[${stringLiteral(name)}, 2]])`;
    assertEquals(evaluate(memberOf(object, name)), 2);
    assertSafe(code);
  }));
});

Deno.test("a generated regular expression matches the same text as its pattern", () => {
  fc.assert(fc.property(HOSTILE, (pattern) => {
    let expected: RegExp;
    try {
      expected = new RegExp(pattern);
    } catch {
      return;
    }
    const code = patternLiteral(pattern);
    const found = evaluate(code) as RegExp;
    assertEquals(found.source, expected.source);
    assertSafe(code);
  }));
  assertEquals(patternLiteral(String.raw`id=(\d+)`, "g"), String.raw`/id=(\d+)/g`);
  assertEquals(patternLiteral("a/b"), 'new RegExp("a/b")');
  assertEquals(patternLiteral("*/"), 'new RegExp("*/")');
});

Deno.test("text in a comment stays on one line", () => {
  fc.assert(fc.property(HOSTILE, (text) => {
    const line = commentText(text);
    assertNotMatch(line, /[\n\r\u2028\u2029\0]|<[/!]/);
    assertEquals(evaluate(`1 // ${line}\n`), 1);
  }));
  assertEquals(commentText("x".repeat(400)).length, 301);
});

Deno.test("generated names are valid and unique identifiers", () => {
  const names = new Names(["taken"]);
  const given = [
    ...["log in", "log in", "taken", "class", "", "ü", "1st", "await", "__ENV", "$", "a-b.c"],
  ];
  const assigned = given.map((text) => names.take(text, "other"));
  assertEquals(new Set(assigned).size, given.length);
  assertEquals(assigned.slice(0, 3), ["logIn", "logIn2", "taken2"]);
  for (const name of assigned) assertMatch(name, /^[A-Za-z_$][\w$]*$/);
  fc.assert(fc.property(HOSTILE, (text) => {
    const name = new Names().take(text, "value");
    assertEquals(evaluate(`(() => { let ${name} = 3; return ${name}; })()`), 3);
  }));
});

function assertSafe(code: string): void {
  assertNotMatch(code, /[\p{Cc}\u2028\u2029\ufeff]|<[/!]|<script/iu);
  assertEquals(code.isWellFormed(), true);
}
