import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { indexEncodings } from "../../../../src/convert/correlate/sources/encoded_source.ts";
import type { RequestValues } from "../../../../src/traffic/session/request_values.ts";

/** Returns the strings that `indexEncodings` decodes from the base64 string `value`. */
function textsOf(value: string): string[] {
  const sought = new Map([[value, { sure: true, named: true }]]);
  return [...indexEncodings({ sought } as Pick<RequestValues, "sought"> as RequestValues)]
    .filter(([, encodings]) => encodings.some(({ transform }) => transform === "base64_encode"))
    .map(([text]) => text);
}

/** Slow reference implementation of `textsOf`: decodes base64 without a prefilter. */
function decodeSlowly(value: string): string[] {
  if (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return [];
  const text = new TextDecoder().decode(Uint8Array.fromBase64(value));
  return text.includes("\ufffd") ? [] : [text];
}

Deno.test("indexEncodings finds every string that requests send in base64", () => {
  const bytes = fc.array(fc.constantFrom(0x41, 0x80, 0xbf, 0xc2, 0xe2, 0xf0, 0xf5, 0xc0, 0x7f), {
    minLength: 3,
    maxLength: 12,
  });
  const values = fc.oneof(
    fc.string({ unit: "binary", minLength: 3 }).map((text) => new TextEncoder().encode(text)),
    bytes.map((list) => Uint8Array.from(list)),
  ).map((bytes) => bytes.toBase64());
  let found = 0;
  fc.assert(
    fc.property(fc.oneof(values, fc.stringMatching(/^[0-9a-f]{8,16}$/), fc.string()), (value) => {
      const expected = value.length < 6 ? [] : decodeSlowly(value);
      assertEquals(textsOf(value), expected, value);
      found += expected.length;
    }),
    { numRuns: 2_000 },
  );
  assert(found > 100, String(found));
});
