import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import fc, { RARE } from "fast-check";
import { LONG_STRING } from "../../../../src/traffic/har/scan/addresses.ts";
import { ByteScanner } from "../../../../src/traffic/har/scan/byte_scanner.ts";
import { chunked, cuts } from "../../../builders/mutate.ts";
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
      scanner.load(encoder.encode("#".repeat(before)), scanner.end);
      const from = scanner.end;
      scanner.load(bytes, scanner.start);
      const unescaped = () => {
        const result = scanner.unescape(from, from + bytes.length);
        return result && decoder.decode(result);
      };
      let expected: string | undefined;
      try {
        expected = referenceText(bytes);
      } catch {
        assertThrows(unescaped, SyntaxError);
        return;
      }
      assertEquals(unescaped(), expected);
    }),
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
      scanner.begin();
      for (const chunk of chunked(bytes, cuts)) {
        // Keeps nothing of the text that has been scanned.
        scanner.load(chunk, found.end);
        while (!isFound && found.end < scanner.end) {
          const scanned = scanner.scan(found.end);
          isFound = scanned.found;
          found.end = scanned.end;
          found.newlines += scanned.newlines;
          if (scanned.newlines > 0) found.lineStart = scanned.lineStart;
          for (const { offset, length } of scanned.longStrings) {
            found.strings.push(offset, offset + length);
          }
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
  );
});

Deno.test("ByteScanner.scan reports whether a long string is valid and contains no escaped surrogates", () => {
  let [plain, others] = [0, 0];
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
        scanner.load(chunk, 0);
        while (at < scanner.end) {
          const { end, longStrings } = scanner.scan(at);
          strings.push(...longStrings);
          at = end;
        }
      }
      const [string] = strings;
      if (string === undefined) return;
      if (string.isPlain) {
        const text = JSON.parse(decoder.decode(bytes));
        assert(text.isWellFormed());
        assertEquals(decoder.decode(string.utf8()), text);
        assert(string.length - 2 <= string.longestUnit * text.length);
        plain++;
      } else if (cuts.length === 0) {
        assertMatch(literal, /\\u[dD][89a-fA-F]|\\u(?![\da-fA-F]{4})|[^ -\uffff]|\\[^"\\/bfnrtu]/);
        others++;
      }
    }),
    RARE,
  );
  assert(plain > 100, String(plain));
  assert(others > 20, String(others));
});

Deno.test("repeated calls to ByteScanner.scan report all long strings, even if the list of one call cannot contain all of them", () => {
  const count = 5_000;
  const text = `[${Array(count).fill(JSON.stringify("z".repeat(LONG_STRING))).join(",")}]`;
  const scanner = new ByteScanner();
  scanner.load(encoder.encode(text), 0);
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
