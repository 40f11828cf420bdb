import { assertEquals } from "@std/assert";
import { didYouMean, nearest } from "../../src/base/nearest.ts";

Deno.test("finds the likely intended name, or none", () => {
  const names = ["convert", "validate", "run", "version"];
  assertEquals(nearest("convret", names), "convert");
  assertEquals(nearest("CONVERT", names), "convert");
  assertEquals(nearest("valdate", names), "validate");
  assertEquals(nearest("rnu", names), "run");
  assertEquals(nearest("explode", names), undefined);
  assertEquals(nearest("", names), undefined);
});

Deno.test("a hint is a question or empty", () => {
  assertEquals(didYouMean("rate_", ["rate"]), 'did you mean "rate"?');
  assertEquals(didYouMean("xyz", ["rate"]), "");
});
