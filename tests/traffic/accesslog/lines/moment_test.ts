import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { MomentReader, type TimeNotation } from "../../../../src/traffic/accesslog/lines/moment.ts";

function read(notation: TimeNotation, text: string, date?: string): number {
  const bytes = new TextEncoder().encode(`${date ?? ""}\t${text}] tail`);
  const from = bytes.indexOf(9) + 1;
  return new MomentReader(notation).read(
    new DataView(bytes.buffer),
    bytes,
    from,
    from + text.length,
    date === undefined ? -1 : 0,
  );
}

const ms = fc.integer({ min: 0, max: Date.UTC(2100, 0) });

Deno.test("moments read as Date reads them", () => {
  fc.assert(
    fc.property(ms, fc.integer({ min: -840, max: 840 }), (time, minutes) => {
      const local = new Date(time + minutes * 60_000).toISOString();
      if (time + minutes * 60_000 < 0) return;
      const two = (value: number) => String(Math.abs(value)).padStart(2, "0");
      const zone = `${minutes < 0 ? "-" : "+"}${two(Math.trunc(minutes / 60))}${two(minutes % 60)}`;
      const [date, clock] = local.slice(0, -1).split("T");
      assertEquals(read("iso", `${date}T${clock}${zone}`), time);
      assertEquals(read("iso", `${date} ${clock}${zone.slice(0, 3)}:${zone.slice(3)}`), time);
      assertEquals(read("iso", new Date(time).toISOString()), time);
      assertEquals(read("milliseconds", String(time)), time);
      assertEquals(
        read("seconds", `${Math.floor(time / 1_000)}`),
        Math.floor(time / 1_000) * 1_000,
      );
      assertEquals(Math.round(read("seconds", (time / 1_000).toFixed(3))), time);
      const utc = new Date(time).toISOString();
      assertEquals(read("clock", utc.slice(11, 19), utc.slice(0, 10)), time - time % 1_000);
    }),
  );
});

Deno.test("what is no moment is none", () => {
  for (
    const text of ["2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T10:00:00", "-", ""]
  ) assertEquals(read("iso", text), -1, text);
  for (const text of ["", "-", "1.2.3", "1e", "x"]) assertEquals(read("seconds", text), -1, text);
  assertEquals(read("clock", "10:00:00"), -1);
});
