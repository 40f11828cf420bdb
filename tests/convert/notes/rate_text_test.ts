import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import fc from "fast-check";
import { roundRate } from "../../../src/convert/accesslog/rate/rate_curve.ts";
import { rateText } from "../../../src/convert/notes/notes.ts";

Deno.test("rateText formats rates with thousands separators and without exponents", () => {
  const texts: [number, string][] = [
    [20_001, "20,001.00"],
    [1_234_567.891, "1,234,567.89"],
    [1, "1.00"],
    [0.9999, "1"],
    [0.03352, "0.0335"],
    [1e-7, "0.0000001"],
    [1.2345e-9, "0.00000000123"],
  ];
  for (const [rate, text] of texts) assertEquals(rateText(rate), text);
});

Deno.test("roundRate rounds down to six significant digits", () => {
  for (
    const [rate, rounded] of [
      [0, 0],
      [93.014_76, 93.014_7],
      [0.033_486_49, 0.033_486_4],
      [1_234_567, 1_234_560],
      [1.000_009, 1],
      [499.999_999_9, 500],
      [1e-7, 1e-7],
    ]
  ) assertEquals(roundRate(rate), rounded);
  fc.assert(fc.property(fc.double({ min: 1e-9, max: 1e9, noNaN: true }), (rate) => {
    assert(roundRate(rate) <= rate * (1 + 1e-8));
    assertAlmostEquals(roundRate(rate) / rate, 1, 1.1e-5);
  }));
});
