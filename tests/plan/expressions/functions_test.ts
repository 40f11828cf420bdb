import { assertEquals } from "@std/assert";
import { asText } from "../../../src/base/exact_json.ts";
import { FUNCTIONS, type FunctionVariant } from "../../../src/plan/expressions/functions.ts";
import { evaluateExpression } from "../../support/evaluate_expression.ts";

for (const [name, { example, result }] of Object.entries<FunctionVariant>(FUNCTIONS)) {
  Deno.test(`the example of ${name}() evaluates to its documented result`, () => {
    const value = asText(evaluateExpression(example));
    if (result === undefined) assertEquals(typeof value, "string");
    else assertEquals(value, result);
  });
}
