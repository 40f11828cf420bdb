import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createTimeReader } from "../../../../src/traffic/accesslog/read/notations.ts";
import { parseTimeZone } from "../../../../src/traffic/accesslog/read/time_layout.ts";

function reader(zone: string): (text: string) => string {
  const zoned = createTimeReader({ time: "iso", timeZone: zone });
  return (text) => {
    const bytes = new TextEncoder().encode(`${text} tail`);
    const ms = zoned.read(new DataView(bytes.buffer), bytes, 0, text.length, -1);
    return ms < 0 ? "invalid" : new Date(ms).toISOString();
  };
}

Deno.test("a timestamp without a zone is a local time in the given time zone", () => {
  const berlin = reader("Europe/Berlin");
  assertEquals(berlin("2026-11-21T10:00:00"), "2026-11-21T09:00:00.000Z");
  assertEquals(berlin("2026-07-01 10:00:00.250"), "2026-07-01T08:00:00.250Z");
  assertEquals(reader("+05:30")("2026-11-21T10:00:00"), "2026-11-21T04:30:00.000Z");
  assertEquals(reader("Australia/Lord_Howe")("2026-11-21T10:00:00"), "2026-11-20T23:00:00.000Z");
});

Deno.test("a zone in the timestamp overrides the given time zone", () => {
  const berlin = reader("Europe/Berlin");
  assertEquals(berlin("2026-11-21T10:00:00Z"), "2026-11-21T10:00:00.000Z");
  assertEquals(berlin("2026-11-21T10:00:00-0500"), "2026-11-21T15:00:00.000Z");
  assertEquals(berlin("no time at all here"), "invalid");
});

Deno.test("local times that daylight saving time skips or repeats are read as documented", () => {
  const berlin = reader("Europe/Berlin");
  // On 29 March, 02:00 to 03:00 does not exist.
  assertEquals(berlin("2026-03-29T01:59:59"), "2026-03-29T00:59:59.000Z");
  assertEquals(berlin("2026-03-29T02:30:00"), "2026-03-29T01:30:00.000Z");
  assertEquals(berlin("2026-03-29T03:00:00"), "2026-03-29T01:00:00.000Z");
  // On 25 October, 02:00 to 03:00 occurs twice.
  assertEquals(berlin("2026-10-25T02:30:00"), "2026-10-25T00:30:00.000Z");
  assertEquals(berlin("2026-10-25T03:00:00"), "2026-10-25T02:00:00.000Z");
});

Deno.test("a time reader converts local times in any order to the same Unix times as Temporal does", () => {
  const zone = fc.constantFrom("Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "-03:30");
  const second = fc.integer({ min: 0, max: Date.UTC(2037, 0) / 1_000 });
  fc.assert(
    fc.property(zone, fc.array(second, { minLength: 1, maxLength: 20 }), (zone, seconds) => {
      const read = reader(zone);
      for (const second of seconds) {
        const local = new Date(second * 1_000).toISOString().slice(0, 19);
        const expected = Temporal.PlainDateTime.from(local).toZonedDateTime(zone).epochMilliseconds;
        assertEquals(
          read(local),
          expected < 0 ? "invalid" : new Date(expected).toISOString(),
          local,
        );
      }
    }),
  );
});

Deno.test("parseTimeZone accepts IANA names and offsets", () => {
  assertEquals(parseTimeZone("Europe/Berlin"), "Europe/Berlin");
  assertEquals(parseTimeZone("UTC"), "UTC");
  assertEquals(parseTimeZone("Z"), "UTC");
  assertEquals(parseTimeZone("+02:00"), "+02:00");
  assertEquals(parseTimeZone("-0500"), "-05:00");
  assertEquals(parseTimeZone("+02"), "+02:00");
  for (const text of ["", "Berlin", "+25:00", "2", "2026-11-21", "Europe/Berlin[x]"]) {
    assertEquals(parseTimeZone(text), undefined, text);
  }
});
