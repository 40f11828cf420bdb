import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { formatExpression, parseTemplate } from "../../../src/plan/text/template.ts";
import { anyExpression } from "../../properties/expressions.ts";

Deno.test("a formatted expression parses as an equal expression", () => {
  fc.assert(
    fc.property(anyExpression, (expression) => {
      const text = formatExpression(expression);
      assertEquals(parseTemplate(text), [expression], text);
    }),
    { numRuns: 1_000 },
  );
});
