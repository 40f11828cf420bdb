import { assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER } from "fast-check";
import { fieldText } from "../../src/http/response_head.ts";

const ascii = fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^ -~]/g, "~"));
const text = fc.oneof(ascii, fc.string({ unit: ANY_CHARACTER, maxLength: 20 }));
const bytes = fc.oneof(
  text.map((text) => new TextEncoder().encode(text)),
  fc.uint8Array({ maxLength: 40 }),
  ascii.map((text) => Uint8Array.from(text + "\xe9", (c) => c.charCodeAt(0))),
);

Deno.test("field text: decodes exactly the given range, as UTF-8 if it is valid, otherwise as Latin-1", () => {
  fc.assert(fc.property(bytes, bytes, (value, around) => {
    const line = new Uint8Array([...around, ...value, ...around]);
    const [from, to] = [around.length, around.length + value.length];
    assertEquals(fieldText(line, from, to), reference(value));
  }));
});

function reference(value: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch {
    return Array.from(value, (byte) => String.fromCharCode(byte)).join("");
  }
}
