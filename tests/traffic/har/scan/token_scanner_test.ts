import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { TokenScanner } from "../../../../src/traffic/har/scan/token_scanner.ts";
import { forEachToken } from "../../../../src/traffic/session/text_ranges.ts";
import { ValueIndex } from "../../../../src/traffic/session/value_index.ts";

const encoder = new TextEncoder();

const tokens = fc.oneof(
  fc.constantFrom("a", "42", "007", "é", "1234567", "item", "😀x", "x😀", "abcdefgh12345678", "7é"),
  fc.stringMatching(/^[a-z0-9é😀]{1,40}$/u),
);
const joiners = fc.constantFrom(
  ...["", "-", " ", "\u00a0", "\u2003", "/", "=", '"', "<b>", "-".repeat(15), "é", "😀"],
);

/** Generates tokens to search for, and text that contains these and other tokens. */
const texts = fc.tuple(fc.array(tokens, { minLength: 1 }), fc.array(tokens), fc.array(joiners))
  .map(([wanted, others, between]) => ({
    wanted: [...new Set(wanted)],
    text: [...others, ...wanted, ...others].map((token, i) =>
      token + (between[i % (between.length + 1)] ?? " ")
    ).join(""),
  }));

/**
 * Slow reference implementation of `TokenScanner.find`: returns the same tokens and the same
 * numbers within tokens, possibly in a different order.
 */
function findSlowly(wanted: readonly string[], text: string): [number, number][] {
  const found: [number, number][] = [];
  forEachToken(text, (start, end) => {
    const number = wanted.indexOf(text.slice(start, end));
    if (number >= 0) found.push([number, start]);
    if (/^\p{ASCII}*$/u.test(text.slice(start, end))) return;
    for (const { 0: digits, index } of text.slice(start, end).matchAll(/\d+/g)) {
      const number = wanted.indexOf(digits);
      if (number >= 0 && digits.length < end - start) found.push([~number, start + index]);
    }
  });
  return found;
}

/** Removes the numbers within ASCII tokens, which the scanner may return in addition. */
function withoutExtra(found: readonly [number, number][], text: string): [number, number][] {
  const ascii = new Set<number>();
  forEachToken(text, (start, end) => {
    if (!/^\p{ASCII}*$/u.test(text.slice(start, end))) return;
    for (let at = start; at < end; at++) ascii.add(at);
  });
  return found.filter(([number, start]) => number >= 0 || !ascii.has(start));
}

Deno.test("TokenScanner finds the same tokens as a search of the text", () => {
  fc.assert(
    fc.property(texts, ({ wanted, text }) => {
      const scanned = new TokenScanner(wanted).find(encoder.encode(text))!;
      assertEquals(withoutExtra(pairs(scanned.found), text), findSlowly(wanted, text));
      assertEquals(scanned.isAscii, /^\p{ASCII}*$/u.test(text));
    }),
  );
});

Deno.test("TokenScanner does not return tokens of the previous text", () => {
  const scanner = new TokenScanner(["abcdefgh"]);
  assertEquals([...scanner.find(encoder.encode(`${"x".repeat(99)} é abcdefgh`))!.found], [0, 102]);
  assertEquals([...scanner.find(encoder.encode("abcdefg"))!.found], []);
  assertEquals(scanner.find(encoder.encode("abcdefg"))!.isAscii, true);
});

Deno.test("TokenScanner returns undefined for text with too many tokens", () => {
  const scanner = new TokenScanner(["a"]);
  assertEquals(scanner.find(encoder.encode("a ".repeat(65_536)))!.found.length, 131_072);
  assertEquals(scanner.find(encoder.encode("a ".repeat(65_537))), undefined);
});

Deno.test("ValueIndex finds the same values in a scanner's tokens as in the scanned text", () => {
  const values = fc.array(
    fc.stringMatching(/^[a1é/=-]{3,12}$/u),
    { minLength: 1, maxLength: 6 },
  );
  const pieces = fc.array(fc.oneof(fc.nat(5), fc.constantFrom("a", "-", "é", " ", "/", "😀")));
  fc.assert(
    fc.property(values, pieces, fc.integer({ min: 1, max: 4 }), (values, pieces, most) => {
      const index = new ValueIndex(3);
      for (const value of values) index.add(value);
      const text = pieces.map((piece) =>
        typeof piece === "number" ? values[piece % values.length] : piece
      ).join("");
      const scanner = new TokenScanner([...new Set([...index.tokens(), "other", "a1"])]);
      const found = scanner.find(encoder.encode(text))!;
      assertEquals(index.findAmong(text, found), index.findAll(text));
      assertEquals(index.findAmong(text, found, most), index.findAll(text, most));
    }),
  );
});

function pairs(found: Int32Array): [number, number][] {
  return Array.from({ length: found.length / 2 }, (_, i) => [found[2 * i], found[2 * i + 1]]);
}
