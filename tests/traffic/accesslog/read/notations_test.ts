import { assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { parseDecimal } from "../../../../src/traffic/accesslog/read/field_text.ts";
import {
  createTimeReader,
  type TimeNotation,
} from "../../../../src/traffic/accesslog/read/notations.ts";

function read(notation: TimeNotation, text: string, date?: string): number {
  const bytes = new TextEncoder().encode(`${date ?? ""}\t${text}] tail`);
  const from = bytes.indexOf(9) + 1;
  return createTimeReader({ time: notation }).read(
    new DataView(bytes.buffer),
    bytes,
    from,
    from + text.length,
    date === undefined ? -1 : 0,
  );
}

const ms = fc.integer({ min: 0, max: Date.UTC(2100, 0) });

Deno.test("a time reader returns the same times as Date", () => {
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
      assertEquals(
        read("epoch", `${Math.floor(time / 1_000)}`),
        Math.floor(time / 1_000) * 1_000,
      );
      assertEquals(Math.round(read("epoch", (time / 1_000).toFixed(3))), time);
      const utc = new Date(time).toISOString();
      assertEquals(read("clock", utc.slice(11, 19), utc.slice(0, 10)), time - time % 1_000);
    }),
  );
});

Deno.test("a time reader infers the unit of a Unix time from its magnitude", () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 100_000_000_000n, max: 4_294_967_295_999n }),
      fc.constantFrom(1n, 1_000n, 1_000_000n),
      fc.bigInt({ min: 0n, max: 999_999n }),
      fc.constantFrom("", ".0", ".75"),
      (ms, perMs, rest, decimals) => {
        const found = read("epoch", `${ms * perMs + rest % perMs}${decimals}`);
        assertAlmostEquals(found, Number(ms) + Number(rest % perMs) / Number(perMs), 1);
        const isAtEnd = (ms % 1_000n) === 999n;
        if (!isAtEnd) assertEquals(Math.floor(found / 1_000), Number(ms / 1_000n));
      },
    ),
  );
  assertEquals(read("epoch", "99999999999"), 99_999_999_999_000);
  assertEquals(read("epoch", "100000000000"), 100_000_000_000);
  assertEquals(read("epoch", "99999999999999"), 99_999_999_999_999);
  assertEquals(read("epoch", "100000000000000"), 100_000_000_000);
  assertEquals(Math.round(read("epoch", "99999999999999000")), 99_999_999_999_999);
  assertEquals(read("epoch", "100000000000000000"), 100_000_000_000);
  assertEquals(read("epoch", "1.795308602e+12"), 1_795_308_602_000);
});

Deno.test("a time reader parses dates with slashes, fractional seconds and zones in every notation", () => {
  const utc = Date.UTC(2026, 10, 21, 10);
  const zones: [text: string, hours: number][] = [
    ["", 0],
    ["Z", 0],
    [" UTC", 0],
    ["GMT", 0],
    ["+00", 0],
    ["+0100", 1],
    [" +0100", 1],
    ["+01:00", 1],
    [" -03:30", -3.5],
  ];
  for (const [zone, hours] of zones) {
    for (
      const [notation, text] of [
        ["iso", "2026-11-21T10:00:00"],
        ["iso", "2026-11-21 10:00:00"],
        ["iso", "2026/11/21 10:00:00"],
        ["clf", "21/Nov/2026:10:00:00"],
        ["clf", "21/Nov/2026 10:00:00"],
      ] as const
    ) {
      assertEquals(read(notation, text + zone), utc - hours * 3_600_000, text + zone);
      assertEquals(
        read(notation, `${text}.655${zone}`),
        utc + 655 - hours * 3_600_000,
        text + zone,
      );
      assertEquals(read(notation, `${text},5${zone}`), utc + 500 - hours * 3_600_000, text + zone);
    }
  }
});

Deno.test("`hasZone` of a time reader is true if the last timestamp contains its zone or the notation implies UTC", () => {
  const hasZone = (notation: TimeNotation, ...texts: string[]) => {
    const reader = createTimeReader({ time: notation });
    return texts.map((text) => {
      const bytes = new TextEncoder().encode(`${text}        `);
      const ms = reader.read(new DataView(bytes.buffer), bytes, 0, text.length, -1);
      return ms >= 0 && reader.hasZone;
    });
  };
  const iso = "2026-11-21T10:00:00";
  assertEquals(hasZone("iso", iso, `${iso}Z`, `${iso}.5`, `${iso}+02:00`), [
    false,
    true,
    false,
    true,
  ]);
  const clf = "21/Nov/2026:10:00:00";
  assertEquals(hasZone("clf", clf, `${clf} +0000`, `${clf}.655`), [false, true, false]);
  assertEquals(hasZone("epoch", "1795255200"), [true]);
});

Deno.test("a time reader returns -1 for an invalid timestamp", () => {
  for (
    const text of [
      ...["2026-02-29T00:00:00Z", "2026-11-21T24:00:00Z", "2026-11-21T10:00:0"],
      ...["2026-11/21T10:00:00Z", "-", ""],
    ]
  ) assertEquals(read("iso", text), -1, text);
  for (const text of ["", "-", "1.2.3", "1e", "x"]) assertEquals(read("epoch", text), -1, text);
  for (const zone of ["+1", "+15", "+0060", "PST", "Z ", " ", "  Z", "UTC+1"]) {
    assertEquals(read("iso", `2026-11-21T10:00:00${zone}`), -1, zone);
    assertEquals(read("clf", `21/Nov/2026:10:00:00${zone}`), -1, zone);
  }
  for (const text of ["31/Feb/2026:10:00:00", "21/Nov/2026-10:00:00", "1/Nov/2026:10:00:00"]) {
    assertEquals(read("clf", text), -1, text);
  }
  assertEquals(read("clock", "10:00:00"), -1);
});

Deno.test("a time reader returns the same results whether or not the minute is cached", () => {
  const minutes = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.nat(61), fc.nat(999)), {
    minLength: 2,
    maxLength: 8,
  });
  const days = ["2026-11-21", "2026-11-22", "2026-02-30", "2027-11-21"];
  const clocks = ["10:00", "10:01", "25:00", "1O:00"];
  fc.assert(
    fc.property(minutes, fc.constantFrom("iso", "clock"), (all, notation) => {
      const reader = createTimeReader({ time: notation });
      for (const [i, [pick, second, ms]] of all.entries()) {
        const date = days[pick];
        const seconds = String(second).padStart(2, "0");
        const clock = `${clocks[(pick + i) % 4]}:${seconds}.${String(ms).padStart(3, "0")}`;
        const text = notation === "iso" ? `${date}T${clock}Z` : clock;
        const bytes = new TextEncoder().encode(`${date} ${text}`);
        const found = reader.read(new DataView(bytes.buffer), bytes, 11, bytes.length, 0);
        assertEquals(found, read(notation, text, notation === "iso" ? undefined : date));
      }
    }),
  );
});

Deno.test("parseDecimal returns the same numbers as Number", () => {
  const read = (text: string) => {
    const bytes = new TextEncoder().encode(`1${text}1`);
    return parseDecimal(bytes, 1, 1 + text.length, 1);
  };
  const texts = fc.oneof(
    fc.double({ min: 0, max: 1e14, noNaN: true }).map(String),
    fc.tuple(fc.maxSafeNat(), fc.nat(999_999_999)).map(([a, b]) => `${a % 1e6}.${b}`),
    fc.maxSafeNat().map(String),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const expected = Number(text);
      assertAlmostEquals(read(text), expected, 1e-9 + expected * 1e-15);
    }),
  );
  for (const text of ["", ".", "-1", "1.", "1.x", "1e", " 1", "1-"]) {
    assertEquals(read(text), text === "1." ? 1 : -1, text);
  }
});

Deno.test("a time reader accepts Unix times in scientific notation, but rejects times after the year 9999", () => {
  assertAlmostEquals(read("epoch", "1.795361987427903e+09"), 1_795_361_987_427.903, 0.001);
  assertEquals(read("epoch", "2E9"), 2e12);
  assertEquals(read("epoch", "253402300799000000000"), Date.UTC(10_000, 0) - 1_000);
  for (const text of ["253402300800000000000", "99999999999999999999999", "1e30", "1e999", "1e"]) {
    assertEquals(read("epoch", text), -1, text);
  }
});
