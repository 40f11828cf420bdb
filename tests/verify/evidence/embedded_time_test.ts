import { assertEquals } from "@std/assert";
import { embeddedTime } from "../../../src/verify/evidence/embedded_time.ts";

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
