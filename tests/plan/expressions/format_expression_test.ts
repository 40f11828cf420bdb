import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { formatExpression, parseTemplate } from "../../../src/plan/text/template.ts";
import { anyExpression } from "../../builders/expressions.ts";

Deno.test("a formatted expression parses as an equal expression", () => {
  fc.assert(
    fc.property(anyExpression, (expression) => {
      const text = formatExpression(expression);
      assertEquals(parseTemplate(text), [expression], text);
    }),
  );
});

Deno.test("a name with a closing brace is quoted", () => {
  const text = '${vars["x}"]}';
  const [expression] = parseTemplate(text);
  if (expression.kind === "text") throw new Error("the template contains no expression");
  assertEquals(parseTemplate(formatExpression(expression)), [expression]);
});
