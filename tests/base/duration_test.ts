import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { durationMs, formatMs } from "../../src/base/format.ts";

Deno.test("durationMs parses every notation of a duration", () => {
  const table: [string | number, number | undefined][] = [
    ["300ms", 300],
    ["30s", 30_000],
    ["1m30s", 90_000],
    ["1h", 3_600_000],
    ["2d", 172_800_000],
    ["1.5s", 1_500],
    ["45", 45_000],
    [45, 45_000],
    [0, 0],
    [-1, undefined],
    [Infinity, undefined],
    ["", undefined],
    ["s", undefined],
    ["10 s", undefined],
    ["10sec", undefined],
    ["-5s", undefined],
    ["1e3", undefined],
  ];
  for (const [text, ms] of table) assertEquals(durationMs(text), ms, `durationMs(${text})`);
});

Deno.test("formatMs uses at most two units", () => {
  const table: [number, string][] = [
    [0, "0ms"],
    [850, "850ms"],
    [1_500, "1.5s"],
    [12_345, "12s"],
    [59_999, "1m"],
    [130_000, "2m10s"],
    [3_600_000, "1h"],
    [3_905_000, "1h5m"],
    [90_000_000, "1d1h"],
  ];
  for (const [ms, words] of table) assertEquals(formatMs(ms), words);
});

Deno.test("durationMs parses durations formatted by formatMs", () => {
  fc.assert(fc.property(fc.integer({ min: 10, max: 3_599 }), (seconds) => {
    assertEquals(durationMs(formatMs(seconds * 1_000)), seconds * 1_000);
  }));
});
