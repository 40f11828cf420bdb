import fc from "fast-check";
import { assertEvaluatesOrExplains, expressionNoise } from "../../properties/expressions.ts";

Deno.test("any text is either a clear error or an expression whose value is data", () => {
  fc.assert(fc.property(expressionNoise, assertEvaluatesOrExplains), { numRuns: 3_000 });
});
