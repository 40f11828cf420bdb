import { assert, assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { EncodedForms } from "../../../../src/convert/correlate/sources/encoded_source.ts";

/** Returns the string that base64 encodes as `value`, if `EncodedForms` finds it. */
function textsOf(value: string): string[] {
  let text: string;
  try {
    text = new TextDecoder().decode(Uint8Array.fromBase64(value));
  } catch {
    return [];
  }
  const found = formsOf([value]).get(text);
  return found.some(({ transform }) => transform === "base64_encode") ? [text] : [];
}

function formsOf(values: readonly string[]): EncodedForms {
  return new EncodedForms({
    sought: new Map(values.map((value) => [value, { sure: true, named: true }])),
  });
}

/** Slow reference implementation of `textsOf`: decodes base64 without a prefilter. */
function decodeSlowly(value: string): string[] {
  if (value.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return [];
  const text = new TextDecoder().decode(Uint8Array.fromBase64(value));
  return text.includes("\ufffd") ? [] : [text];
}

Deno.test("EncodedForms finds every string that requests send in base64", () => {
  const bytes = fc.array(fc.constantFrom(0x41, 0x80, 0xbf, 0xc2, 0xe2, 0xf0, 0xf5, 0xc0, 0x7f), {
    minLength: 3,
    maxLength: 12,
  });
  const values = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, minLength: 3 }).map((text) => new TextEncoder().encode(text)),
    bytes.map((list) => Uint8Array.from(list)),
  ).map((bytes) => bytes.toBase64());
  let found = 0;
  fc.assert(
    fc.property(fc.oneof(values, fc.stringMatching(/^[0-9a-f]{8,16}$/), fc.string()), (value) => {
      const expected = value.length < 6 ? [] : decodeSlowly(value);
      assertEquals(textsOf(value), expected, value);
      found += expected.length;
    }),
  );
  assert(found > 20, String(found));
});

Deno.test("EncodedForms returns each form in which requests send a value", () => {
  const forms = formsOf(["a%2Fb%2Fc", "YS9iL2M=", "a%2fb%2fc", "plain1"]);
  assertEquals(forms.get("a/b/c"), [
    { transform: "url_encode", value: "a%2Fb%2Fc" },
    { transform: "url_encode", value: "a%2fb%2fc" },
    { transform: "base64_encode", value: "YS9iL2M=" },
  ]);
  assertEquals(forms.get("cGxhaW4x"), [{ transform: "base64_decode", value: "plain1" }]);
  assertEquals(forms.get("plain1"), []);
  assert(forms.has("a/b/c"));
  assert(!forms.has("other"));
});

Deno.test("EncodedForms lists a form once for each transform", () => {
  assertEquals(formsOf(["a&b<c>"]).get("a&amp;b&lt;c&gt;"), [
    { transform: "html_decode", value: "a&b<c>" },
  ]);
});
