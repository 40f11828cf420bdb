import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { LocalTimes, WEEKDAYS } from "../../../src/report/html/log_report.ts";

Deno.test("LocalTimes formats times in its time zone, including when daylight saving time begins", () => {
  const berlin = new LocalTimes("Europe/Berlin");
  const second = Date.UTC(2026, 2, 29, 0, 59, 59) / 1_000;
  assertEquals(berlin.text(second), "2026-03-29 01:59:59 Europe/Berlin");
  assertEquals(berlin.text(second + 1), "2026-03-29 03:00:00 Europe/Berlin");
  assertEquals(new LocalTimes("+05:30").text(second), "2026-03-29 06:29:59 +05:30");
  assertEquals(new LocalTimes("UTC").text(second), "2026-03-29 00:59:59 UTC");
});

Deno.test("weekHour returns the weekday and the hour that Temporal returns", () => {
  const zone = fc.constantFrom(
    "UTC",
    "Europe/Berlin",
    "Asia/Kolkata",
    "America/St_Johns",
    "-08:00",
  );
  const second = fc.integer({ min: 0, max: Date.UTC(2037, 0) / 1_000 });
  fc.assert(fc.property(zone, second, (zone, second) => {
    const local = Temporal.Instant.fromEpochMilliseconds(second * 1_000).toZonedDateTimeISO(zone);
    const { weekday, hour } = new LocalTimes(zone).weekHour(second);
    assertEquals([weekday + 1, hour], [local.dayOfWeek, local.hour]);
  }));
  const { weekday } = new LocalTimes("UTC").weekHour(Date.UTC(2026, 10, 22) / 1_000);
  assertEquals(WEEKDAYS[weekday], "Sunday");
});
