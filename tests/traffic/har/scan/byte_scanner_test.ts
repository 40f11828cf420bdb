import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import fc from "fast-check";
import { LONG_STRING } from "../../../../src/traffic/har/scan/addresses.ts";
import { ByteScanner } from "../../../../src/traffic/har/scan/byte_scanner.ts";
import { cuts } from "../../../properties/har_fuzz.ts";
import { chunked } from "../../../builders/mutate.ts";
import { referenceEnd, referenceText } from "../../../oracles/json_text_reference.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Generates text with many characters that are significant to a scanner, at varying distances. */
const texts = fc.array(
  fc.oneof(
    fc.constantFrom('"', "\\", "/", "\n", "\t", "{", "}", "[", "]", "é", "’", "😀", "\ud800"),
    fc.constantFrom("\u0001", "\u007f", "\ufeff", "u0041", "n", "\\\\", '\\"'),
    fc.nat(40).map((length) => "x".repeat(length)),
    fc.string(),
  ),
  { maxLength: 60 },
).map((pieces) => pieces.join(""));

/** Generates JSON strings in many notations, some of them invalid. */
const literals = fc.oneof(
  texts.map((text) => JSON.stringify(text)),
  texts.map((text) => JSON.stringify(text).replaceAll("/", "\\/")),
  texts.map((text) =>
    `"${
      text.replace(/[^]/g, (char) => {
        const code = char.charCodeAt(0).toString(16).padStart(4, "0");
        return /[\w\s"\\]/.test(char) ? `\\u${code}` : `\\u${code.toUpperCase()}`;
      })
    }"`
  ),
  fc.array(
    fc.constantFrom(
      "\\u12",
      "\\ud83d",
      "\\ude00",
      "\\x",
      "\\",
      "\\n",
      "\\\\",
      '\\"',
      "\t",
      "a",
      "é",
    ),
  ).map((pieces) => `"${pieces.join("")}"`),
  texts.map((text) => `"${text}"`),
);

Deno.test("ByteScanner.unescape returns the same text as JSON.parse, or rejects the same strings", () => {
  const scanner = new ByteScanner();
  fc.assert(
    fc.property(literals, fc.nat(20), (literal, before) => {
      const bytes = encoder.encode(literal.toWellFormed());
      // `scan` does not find other strings.
      fc.pre(referenceEnd(bytes, LONG_STRING).end === bytes.length);
      scanner.load(scanner.text.length, encoder.encode("#".repeat(before)));
      scanner.load(0, bytes);
      const unescaped = () => {
        const result = scanner.unescape(before, before + bytes.length);
        return result && { text: decoder.decode(result.bytes), units: result.units };
      };
      let expected: string | undefined;
      try {
        expected = referenceText(bytes);
      } catch {
        assertThrows(unescaped, SyntaxError);
        return;
      }
      assertEquals(
        unescaped(),
        expected === undefined ? undefined : { text: expected, units: expected.length },
      );
    }),
    { numRuns: 2_000 },
  );
});

const values: fc.Arbitrary<string> = fc.tuple(
  fc.json(),
  texts,
  fc.constantFrom(0, LONG_STRING - 3, LONG_STRING - 2, LONG_STRING, 5 * LONG_STRING),
  fc.constantFrom("", "\n", " \n\n "),
).map(([json, text, length, space]) =>
  `[${space}${json},${space}${JSON.stringify(text)}, ${JSON.stringify("y".repeat(length))}${space}]`
);

Deno.test("ByteScanner.scan finds the same end, lines and long strings as the slow reference implementation", () => {
  fc.assert(
    fc.property(values, texts, cuts, (value, rest, cuts) => {
      const bytes = encoder.encode(value + rest);
      const scanner = new ByteScanner();
      const found = { end: 0, newlines: 0, lineStart: 0, strings: [] as number[] };
      let isFound = false;
      let loaded = 0;
      scanner.begin();
      for (const chunk of chunked(bytes, cuts)) {
        // Keeps nothing of the text that has been scanned.
        const from = Math.min(found.end - loaded, scanner.text.length);
        scanner.load(from, chunk);
        loaded += from;
        while (!isFound && found.end < loaded + scanner.text.length) {
          const scanned = scanner.scan(found.end - loaded);
          isFound = scanned.found;
          found.end = scanned.end + loaded;
          found.newlines += scanned.newlines;
          if (scanned.newlines > 0) found.lineStart = scanned.lineStart + loaded;
          found.strings.push(
            ...scanned.longStrings.flatMap(({ start, end }) => [start + loaded, end + loaded]),
          );
        }
      }
      const { end, lines, strings } = referenceEnd(bytes, LONG_STRING);
      assertEquals(isFound, end !== undefined);
      assertEquals(found, {
        end: end!,
        newlines: lines.length,
        lineStart: lines.at(-1) ?? 0,
        strings: [...strings],
      });
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("ByteScanner.scan reports the length of a long string only if this length is certain", () => {
  let [certain, uncertain] = [0, 0];
  const lengths = fc.integer({ min: LONG_STRING - 20, max: LONG_STRING + 20 });
  fc.assert(
    fc.property(literals, lengths, cuts, (literal, length, cuts) => {
      const bytes = encoder.encode(`"${"x".repeat(length)}${literal.slice(1).toWellFormed()}`);
      fc.pre(referenceEnd(bytes, LONG_STRING).end === bytes.length);
      const scanner = new ByteScanner();
      scanner.begin();
      let at = 0;
      const strings = [];
      for (const chunk of chunked(bytes, cuts)) {
        scanner.load(0, chunk);
        while (at < scanner.text.length) {
          const { end, longStrings } = scanner.scan(at);
          strings.push(...longStrings);
          at = end;
        }
      }
      const [string] = strings;
      if (string?.units === undefined) {
        if (string !== undefined && cuts.length === 0) {
          assertMatch(literal, /\\u|[^ -\uffff]|\\[^"\\/bfnrt]/);
          uncertain++;
        }
        return;
      }
      assertEquals(string.units, JSON.parse(decoder.decode(bytes)).length);
      certain++;
    }),
    { numRuns: 2_000 },
  );
  assert(certain > 100, String(certain));
  assert(uncertain > 20, String(uncertain));
});

Deno.test("repeated calls to ByteScanner.scan report all long strings, even if the list of one call cannot contain all of them", () => {
  const count = 5_000;
  const text = `[${Array(count).fill(JSON.stringify("z".repeat(LONG_STRING))).join(",")}]`;
  const scanner = new ByteScanner();
  scanner.load(0, encoder.encode(text));
  scanner.begin();
  let [end, strings] = [0, 0];
  for (let isFound = false; !isFound;) {
    const scanned = scanner.scan(end);
    [end, isFound, strings] = [
      scanned.end,
      scanned.found,
      strings + scanned.longStrings.length,
    ];
  }
  assertEquals([end, strings], [text.length, count]);
});
