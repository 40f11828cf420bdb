import { assertEquals } from "@std/assert";
import { rateText } from "../../../src/convert/notes/rate_text.ts";

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
