import { assertEquals } from "@std/assert";
import { didYouMean, nearest } from "../../src/base/nearest.ts";

Deno.test("nearest returns the most similar name, or undefined if none is similar enough", () => {
  const names = ["convert", "validate", "run", "version"];
  assertEquals(nearest("convret", names), "convert");
  assertEquals(nearest("CONVERT", names), "convert");
  assertEquals(nearest("valdate", names), "validate");
  assertEquals(nearest("rnu", names), "run");
  assertEquals(nearest("explode", names), undefined);
  assertEquals(nearest("", names), undefined);
});

Deno.test("didYouMean suggests the most similar name, or returns an empty string if none is similar enough", () => {
  assertEquals(didYouMean("rate_", ["rate"]), 'did you mean "rate"?');
  assertEquals(didYouMean("xyz", ["rate"]), "");
});
