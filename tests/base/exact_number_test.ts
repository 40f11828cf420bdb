import { assertEquals, assertInstanceOf } from "@std/assert";
import fc from "fast-check";
import { ExactNumber, sameNumber, writtenNumber } from "../../src/base/exact_number.ts";
import { jsonNumbers } from "../builders/json_numbers.ts";

Deno.test("writtenNumber keeps the original text of a number", () => {
  fc.assert(fc.property(jsonNumbers, (text) => {
    const number = writtenNumber(text);
    assertEquals([String(number), JSON.stringify([number])], [text, `[${text}]`]);
  }));
  assertEquals(writtenNumber("9007199254740991"), 9007199254740991);
  assertInstanceOf(writtenNumber("9007199254740993"), ExactNumber);
});

Deno.test("sameNumber compares numbers by value, regardless of their notation", () => {
  const padded = fc.tuple(jsonNumbers.filter((n) => !/e/i.test(n)), fc.nat(30));
  fc.assert(fc.property(padded, ([text, zeros]) => {
    const longer = (text.includes(".") ? text : text + ".") + "0".repeat(zeros + 1);
    assertEquals(sameNumber(writtenNumber(text), writtenNumber(longer)), true);
    assertEquals(sameNumber(writtenNumber(longer), writtenNumber(text)), true);
    assertEquals(sameNumber(writtenNumber(text), writtenNumber(longer + "1")), false);
    const scaled = `${longer}e0`;
    assertEquals(sameNumber(writtenNumber(text), writtenNumber(scaled)), true);
  }));
  fc.assert(fc.property(fc.bigInt(), fc.bigInt(), (a, b) => {
    const [left, right] = [writtenNumber(String(a)), writtenNumber(String(b))];
    assertEquals(sameNumber(left, right), a === b);
    assertEquals(sameNumber(left, writtenNumber(`${a}0e-1`)), true);
  }));
  assertEquals(sameNumber(new ExactNumber("1e99999999999999999999"), Infinity), false);
});
