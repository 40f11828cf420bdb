import { assertEquals } from "@std/assert";
import { boundaryAround } from "../../../../src/convert/correlate/sources/boundary_expression.ts";

const around = (text: string, value: string) =>
  boundaryAround(text, text.indexOf(value), value.length);

Deno.test("boundaryAround returns a left boundary that starts at a word and is unique", () => {
  const text = 'let a = "x"; let token = "q9w8e7r6t5";';
  assertEquals(around(text, "q9w8e7r6t5"), { left: 'token = "', right: '"', key: "token" });
});

Deno.test("boundaryAround rejects boundaries that probably differ in the next response", () => {
  const page = 'a="7c9e6679-7425-40de-944b-e07fc1f90ae7"="first" b="second"';
  assertEquals(around(page, "first"), undefined);
  assertEquals(around(page, "second"), { left: 'b="', right: '"', key: "b" });
});
