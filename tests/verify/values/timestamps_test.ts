import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { embeddedTime, parseTimestamp } from "../../../src/verify/values/timestamps.ts";

const HOUR = 3_600_000;
const SHIFTED: [timestamp: string, anHourLater: string][] = [
  ["2026-11-22T10:05:33.123Z", "2026-11-22T11:05:33.123Z"],
  ["2026-11-22T10:05:33.123456+05:30", "2026-11-22T11:05:33.123456+05:30"],
  ["2026-11-22 23:05", "2026-11-23 00:05"],
  ["2026-11-22T10:05:33", "2026-11-22T11:05:33"],
  ["2026-11-22.10:05:33", "2026-11-22.11:05:33"],
  ["Sun, 22 Nov 2026 10:05:33 GMT", "Sun, 22 Nov 2026 11:05:33 GMT"],
  ["Sun, 22-Nov-2026 10:05:33 GMT", "Sun, 22-Nov-2026 11:05:33 GMT"],
  ["1763804123", "1763807723"],
  ["1763804123456", "1763807723456"],
  ["1763804123456789", "1763807723456789"],
  ["20261122100533", "20261122110533"],
];

Deno.test("a timestamp from parseTimestamp can format another time in the same notation", () => {
  for (const [timestamp, later] of SHIFTED) {
    const parsed = parseTimestamp(timestamp)!;
    assertEquals(parsed.write(parsed.ms), timestamp);
    assertEquals(parsed.write(parsed.ms + HOUR), later);
  }
});

Deno.test("parseTimestamp returns undefined for numbers and text that are not timestamps", () => {
  for (const text of ["48213", "0000000001", "20269922100533", "99991231235959123", "today", ""]) {
    assertEquals(parseTimestamp(text), undefined, text);
  }
});

Deno.test("parseTimestamp returns timestamps that reproduce the original text when formatted", () => {
  const times = fc.integer({ min: Date.UTC(2002, 0), max: Date.UTC(2099, 0) });
  fc.assert(fc.property(times, (ms) => {
    for (const text of [new Date(ms).toISOString(), String(ms), new Date(ms).toUTCString()]) {
      const parsed = parseTimestamp(text)!;
      assertEquals(parsed.write(parsed.ms), text);
    }
  }));
});

Deno.test("embeddedTime returns the creation time that a UUID, ObjectId, ULID or Unix time contains", () => {
  const values: [value: string, time: string | undefined][] = [
    ["C232AB00-9414-11EC-B3C8-9F6BDECED846", "2022-02-22T19:22:22.000Z"],
    ["1EC9414C-232A-6B00-B3C8-9F6BDECED846", "2022-02-22T19:22:22.000Z"],
    ["017F22E2-79B0-7CC3-98C4-DC0C0C07398F", "2022-02-22T19:22:22.000Z"],
    ["507f1f77bcf86cd799439011", "2012-10-17T21:13:27.000Z"],
    ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "2016-07-30T23:54:10.259Z"],
    ["1763804123", "2025-11-22T09:35:23.000Z"],
    ["a81bc81b-dead-4e5d-abff-90865d1e13b1", undefined],
    ["48213", undefined],
  ];
  for (const [value, time] of values) {
    const ms = embeddedTime(value);
    assertEquals(ms === undefined ? undefined : new Date(ms).toISOString(), time, value);
  }
});
