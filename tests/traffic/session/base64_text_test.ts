import { assertEquals } from "@std/assert";
import { replaceBase64 } from "../../../src/traffic/session/base64_text.ts";

function freshKey(decoded: string): string {
  return decoded.replaceAll("key-1", "key-22?>~");
}

function urlSafe(text: string): string {
  return new TextEncoder().encode(text).toBase64({ alphabet: "base64url", omitPadding: true });
}

Deno.test("replaceBase64 encodes the replaced text as the original was encoded", () => {
  const text = `Basic ${btoa("ada:key-1:")}; s=${urlSafe("this is key-1")}`;
  assertEquals(
    replaceBase64(text, freshKey),
    `Basic ${btoa("ada:key-22?>~:")}; s=${urlSafe("this is key-22?>~")}`,
  );
});

Deno.test("replaceBase64 keeps base64 whose text does not change, and what is not base64", () => {
  const text = `Basic ${btoa("ada:other-key")} key-1 ${"A".repeat(13)}`;
  assertEquals(replaceBase64(text, freshKey), text);
});
