import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { VERSION } from "../../src/base/release.ts";
import { decodeMessage, encodeMessage } from "../../src/fleet/channel.ts";

const text = (value: string) => new TextEncoder().encode(value);

Deno.test("codec: decoding an encoded message returns the same message", () => {
  const message = { kind: "beat" as const, from: "a-1" };
  assertEquals(decodeMessage(encodeMessage(message)), message);
});

Deno.test("codec: rejects messages with another version, kind, shape or size", () => {
  const faults: readonly (readonly [string, string])[] = [
    ["null", "a message is not a JSON object"],
    ["{", "a message is not a JSON object"],
    ["{}", "a message comes from another version of rehearse"],
    ['{"rehearse":1,"kind":"beat","from":"a"}', "a message comes from another version of rehearse"],
    [
      '{"rehearse":"0","kind":"beat","from":"a"}',
      "a message comes from another version of rehearse",
    ],
    [`{"rehearse":"${VERSION}","kind":"constructor"}`, "a message has an unknown kind"],
    [`{"rehearse":"${VERSION}","kind":"beat"}`, "a message of kind beat is invalid"],
    [`{"rehearse":"${VERSION}","kind":"beat","from":"a b"}`, "a message of kind beat is invalid"],
    [
      `{"rehearse":"${VERSION}","kind":"ack","leader":"a","seq":-1,"done":false}`,
      "a message of kind ack is invalid",
    ],
    [
      `{"rehearse":"${VERSION}","kind":"beat","from":"a"${" ".repeat(9_000)}}`,
      "a message of kind beat is too large",
    ],
  ];
  for (const [given, fault] of faults) {
    const decoded = decodeMessage(text(given));
    assertEquals("fault" in decoded && decoded.fault, fault, given);
  }
});

Deno.test("codec: reports a fault instead of throwing, for any bytes and any JSON", () => {
  fc.assert(fc.property(fc.uint8Array(), (bytes) => {
    assertEquals("fault" in decodeMessage(bytes), true);
  }));
  const kinds = fc.constantFrom("delta", "welcome", "pulse", "hello", "done", "ready");
  fc.assert(fc.property(kinds, fc.dictionary(fc.string(), fc.jsonValue()), (kind, content) => {
    const decoded = decodeMessage(text(JSON.stringify({ rehearse: VERSION, kind, ...content })));
    assertEquals("fault" in decoded, true);
  }));
});
