import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  bytes,
  durationMs,
  formatMs,
  formatNumber,
  percent,
  plural,
  sparkline,
  time,
} from "../../src/base/format.ts";

Deno.test("`time` formats a duration with three significant digits and a unit in at most six characters", () => {
  const cases: [number, string][] = [
    [0, "0s"],
    [0.0004, "0s"],
    [0.085, "85µs"],
    [0.9994, "999µs"],
    [0.9996, "1ms"],
    [1.2345, "1.23ms"],
    [12.345, "12.3ms"],
    [999.4, "999ms"],
    [999.6, "1s"],
    [4_567, "4.57s"],
    [59_949, "59.9s"],
    [59_951, "1m"],
    [754_000, "12m34s"],
  ];
  assertEquals(cases.map(([ms]) => time(ms)), cases.map(([, text]) => text));
  fc.assert(fc.property(fc.double({ min: 0, max: 3.5e6, noNaN: true }), (ms) => {
    return time(ms).length <= 6;
  }));
});

Deno.test("`percent` formats only 0 as 0% and only 1 as 100%", () => {
  const shares = [0, 0.00001, 0.0208, 0.999999, 1];
  assertEquals(shares.map(percent), ["0.00%", "<0.01%", "2.08%", "99.99%", "100.00%"]);
});

Deno.test("`bytes`, `formatNumber` and `plural` format typical values", () => {
  assertEquals([0, 999, 1_000, 12_345_678, 5e15].map(bytes), [
    "0 B",
    "999 B",
    "1 kB",
    "12.3 MB",
    "5000 TB",
  ]);
  assertEquals([0.05, 49.98, 1_234.5].map(formatNumber), ["0.05", "49.98", "1,235"]);
  assertEquals([plural(1, "VU"), plural(12_000, "VU")], ["1 VU", "12,000 VUs"]);
});
Deno.test("sparkline draws the highest value as a full bar and only 0 as a space", () => {
  assertEquals(sparkline([0, 1, 50, 100]), " ▁▄█");
  assertEquals(sparkline([0, 0]), "  ");
  assertEquals(sparkline([]), "");
});

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
