import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { writeRoute } from "../../src/traffic/accesslog/read/log_request.ts";
import { idShape } from "../../src/traffic/id_shape.ts";

const hex = fc.stringMatching(/^[0-9A-Fa-f]{1,40}$/);
const dashed = fc.stringMatching(/^[0-9a-f-]{36}$/);

/** Reports whether the route of a path replaces its only segment. */
function isId(segment: string): boolean {
  let found = false;
  const path = new TextEncoder().encode(`/${segment}`);
  writeRoute(path, 0, path.length, new Uint8Array(200), 0, (_, from) => {
    found = true;
    return from;
  });
  return found;
}

Deno.test("idShape and routes recognize the same ids", () => {
  const texts = fc.oneof(hex, dashed, fc.uuid(), fc.stringMatching(/^[\w-]{1,40}$/));
  fc.assert(fc.property(texts, (text) => {
    assertEquals(idShape(text) !== undefined, isId(text), text);
  }));
});

Deno.test("idShape distinguishes numbers, UUIDs and hex digits", () => {
  const shapes = [
    "7",
    "0b9e2a44-5c1f-4d1e-8a63-1f2e3d4c5b6a",
    "0123456789abcdef",
    "0123456789abcde",
  ];
  assertEquals(shapes.map(idShape), ["number", "uuid", "hex", undefined]);
  assertEquals(["", "12a", "1-2", "0123456789abcdeg"].map(idShape), Array(4).fill(undefined));
});
