import { assertEquals } from "@std/assert";
import { originMover } from "../../../src/verify/calibrate/moved_origins.ts";

Deno.test("originMover replaces the origin in all of its forms, and no other origin", () => {
  const move = originMover("https://rec.example:8443", "http://127.0.0.1:8080");
  const cases: [string, string][] = [
    ["https://rec.example:8443/a", "http://127.0.0.1:8080/a"],
    ["r=https%3A%2F%2Frec.example%3A8443%2Fcb", "r=http%3A%2F%2F127.0.0.1%3A8080%2Fcb"],
    ['"https:\\/\\/rec.example:8443\\/a"', '"http:\\/\\/127.0.0.1:8080\\/a"'],
    ['host: "rec.example:8443"', 'host: "127.0.0.1:8080"'],
    ["https://other.rec.example:8443/", "https://other.rec.example:8443/"],
    ["https://rec.example/", "https://rec.example/"],
  ];
  for (const [from, to] of cases) assertEquals(move(from), to);
  assertEquals(originMover("http://a", "http://a")("http://a/x"), "http://a/x");
});
