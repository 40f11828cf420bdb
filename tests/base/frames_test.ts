import { assertEquals } from "@std/assert";
import { framedJson, messageJson } from "../../src/base/frames.ts";
import { MESSAGES } from "./frame_messages.ts";

Deno.test("framedJson finds the JSON in the frames of known protocols, and nowhere else", () => {
  for (const [text, json] of MESSAGES) {
    assertEquals(framedJson(text)?.json, json, text);
    assertEquals(messageJson(text), json ?? text, text);
  }
});

Deno.test("framedJson returns the ranges of the JSON in a message, and none if the frame escapes the JSON", () => {
  const found = (text: string) =>
    framedJson(text)?.ranges.map(([start, end]) => text.slice(start, end));
  assertEquals(found('42/a,["created",{"id":7}]'), ['["created",{"id":7}]']);
  assertEquals(found('MESSAGE\nid:1\n\n{"id":7}\0\n'), ['{"id":7}']);
  assertEquals(found('{"id":7}\x1e\n[8]\x1e'), ['{"id":7}', "\n[8]"]);
  assertEquals(found('a["{\\"id\\":7}"]'), []);
});

Deno.test("framedJson does not hang on long text that resembles frames", () => {
  const long = "x".repeat(200_000);
  for (
    const text of [
      `42/${long}`,
      `4${"0".repeat(200_000)}`,
      `MESSAGE\n${"a:b\n".repeat(50_000)}`,
      `MESSAGE\n${long}`,
      `MESSAGE\n\n${"\0".repeat(50_000)}x`,
      `a[${"[".repeat(50_000)}`,
      // More headers than a regular expression can store positions to return to.
      `MESSAGE\n${"a:b\n".repeat(4_000_000)}`,
    ]
  ) assertEquals(framedJson(text), undefined);
});
