import { assertEquals, assertThrows } from "@std/assert";
import { ExactNumber } from "../../../src/base/exact_number.ts";
import { toNumber, truth } from "../../../src/engine/flow/values.ts";
import { TemplateFault } from "../../../src/engine/vu/flow_end.ts";

Deno.test("`truth` returns false for empty values, 0 and `false`", () => {
  for (const value of [null, false, 0, "", "false", [], {}, new ExactNumber("0.0")]) {
    assertEquals(truth(value), false, JSON.stringify(value));
  }
  for (const value of [true, 1, " ", "true", [0], { a: null }, new ExactNumber("0.1")]) {
    assertEquals(truth(value), true, JSON.stringify(value));
  }
});

Deno.test("messages about invalid numbers omit long strings, which may be secrets", () => {
  const secret = "AKIA-0123456789".repeat(5);
  const error = assertThrows(() => toNumber(secret), TemplateFault);
  assertEquals(error.message, "not a number: text of 75 characters");
});
