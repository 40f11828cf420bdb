import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { nibbleTables } from "../../scripts/assembly_tables.ts";

Deno.test("nibbleTables represents any byte set with at most 8 distinct rows (bytes with the same upper nibble)", () => {
  const groups = fc.array(fc.uint8Array({ maxLength: 16 }), { minLength: 1, maxLength: 8 });
  const group = fc.array(fc.nat(7), { minLength: 16, maxLength: 16 });
  fc.assert(fc.property(groups, group, (lower, upper) => {
    const contains = (byte: number) =>
      (lower[upper[byte >> 4]] ?? []).some((value) => (value & 15) === (byte & 15));
    const { low, high } = nibbleTables(contains);
    for (let byte = 0; byte < 256; byte++) {
      assertEquals((low[byte & 15] & high[byte >> 4]) !== 0, contains(byte));
    }
  }));
});

Deno.test("nibbleTables rejects a byte set with more than 8 distinct rows (bytes with the same upper nibble)", () => {
  assertThrows(() => nibbleTables((byte) => byte >> 4 === (byte & 15)), Error, "8 bits");
});
