import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { random } from "../../src/base/random.ts";
import { freshValue, FreshValues, parseTimestamp } from "../../src/verify/fresh_values.ts";

const SHAPES: [value: string, fresh: RegExp][] = [
  ["4711", /^[1-8]\d{3}$/],
  ["cf44a17d59379da9be27", /^[0-9a-f]{20}$/],
  ["CF44A17D59379DA9BE27", /^[0-9A-F]{20}$/],
  ["1456a903-4514-4320-ad23-e5460b536aea", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-/],
  ["sess_Zx9-yQ", /^[a-z]{4}_[A-Z][a-z]\d-[a-z][A-Z]$/],
];

Deno.test("freshValue generates a different value of the same shape", () => {
  for (const [value, shape] of SHAPES) {
    const fresh = freshValue(value, random(1));
    assertMatch(fresh, shape);
    assertNotEquals(fresh, value);
  }
});

Deno.test("freshValue keeps the header, claim names and timestamps of a JWT", () => {
  const part = (value: unknown) =>
    new TextEncoder().encode(JSON.stringify(value)).toBase64({
      alphabet: "base64url",
      omitPadding: true,
    });
  const claims = { session_id: "5f3c9a71b2d84e60", exp: 1_790_000_000, role: "admin" };
  const jwt = [part({ alg: "HS256" }), part(claims), "c2lnbmF0dXJl"].join(".");
  const [header, payload, signature] = freshValue(jwt, random(1)).split(".");
  const read = JSON.parse(
    new TextDecoder().decode(Uint8Array.fromBase64(payload, { alphabet: "base64url" })),
  );
  assertEquals(header, part({ alg: "HS256" }));
  assertEquals({ ...read, session_id: "" }, { ...claims, session_id: "" });
  assertMatch(read.session_id, /^[0-9a-f]{16}$/);
  assertNotEquals(read.session_id, claims.session_id);
  assertNotEquals(signature, "c2lnbmF0dXJl");
});

Deno.test("freshValue generates a value of the same length for any recorded value", () => {
  fc.assert(fc.property(fc.string({ unit: "grapheme" }), fc.integer(), (value, seed) => {
    assertEquals(freshValue(value, random(seed)).length, value.length);
  }));
});

Deno.test("FreshValues replaces only the number of a short id, so that the text around it stays", () => {
  const values = new FreshValues(1, []);
  for (
    const [id, shape] of [["7", /^\d{6,9}$/], ["TK-77", /^TK-\d{6,9}$/], ["dark", /^dark\d+$/]]
  ) {
    assertMatch(values.generate(`\0kind\0${id}`, "user", 0), shape as RegExp);
  }
  assertMatch(values.generate("\0?\x000-1.-commentForm", "user", 0), /^\d+-1\.-commentForm$/);
});

Deno.test("FreshValues restores a recorded value in the encoding of the fresh one", () => {
  const values = new FreshValues(1, []);
  const time = "2026-02-10T09:30:00Z";
  const fresh = values.generate(time, "user", 3);
  const tag = (text: string) => `W/"datetimeoffset'${encodeURIComponent(text)}'"`;
  assertEquals(values.recorded(tag(fresh)), tag(time));
  assertEquals(values.recorded(`at ${fresh}`), `at ${time}`);
});

const SHIFTED: [timestamp: string, aDayLater: string][] = [
  ["2026-11-22T10:05:33.123Z", "2026-11-23T10:05:33.123Z"],
  ["2026-11-22T10:05:33.123456+05:30", "2026-11-23T10:05:33.123456+05:30"],
  ["2026-11-22 23:05", "2026-11-23 23:05"],
  ["2026-11-22T10:05:33", "2026-11-23T10:05:33"],
  ["2026-11-22.10:05:33", "2026-11-23.10:05:33"],
  ["Sun, 22 Nov 2026 10:05:33 GMT", "Mon, 23 Nov 2026 10:05:33 GMT"],
  ["Sun, 22-Nov-2026 10:05:33 GMT", "Mon, 23-Nov-2026 10:05:33 GMT"],
  ["1763804123", "1763890523"],
  ["1763804123456", "1763890523456"],
  ["1763804123456789", "1763890523456789"],
  ["20261122100533", "20261123100533"],
];

Deno.test("a timestamp from parseTimestamp can format another day in the same notation", () => {
  for (const [timestamp, later] of SHIFTED) {
    const parsed = parseTimestamp(timestamp)!;
    assertEquals([parsed.later(0), parsed.later(1)], [timestamp, later]);
  }
});

Deno.test("parseTimestamp returns undefined for numbers and text that are not timestamps", () => {
  for (const text of ["48213", "0000000001", "20269922100533", "99991231235959123", "today", ""]) {
    assertEquals(parseTimestamp(text), undefined, text);
  }
});

Deno.test("parseTimestamp returns the time, and reproduces the original text", () => {
  const times = fc.integer({ min: Date.UTC(2002, 0), max: Date.UTC(2099, 0) });
  fc.assert(fc.property(times, (ms) => {
    for (const text of [new Date(ms).toISOString(), String(ms), new Date(ms).toUTCString()]) {
      const parsed = parseTimestamp(text)!;
      assertEquals(parsed.later(0), text);
      assertEquals(Math.abs(parsed.ms - ms) < 1_000, true);
    }
  }));
});
