import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseTimestamp } from "../../src/verify/fresh_values.ts";

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
