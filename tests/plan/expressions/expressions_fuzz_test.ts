import fc from "fast-check";
import { assertEvaluatesOrExplains, expressionNoise } from "../../properties/expressions.ts";

Deno.test("any text is either rejected with a clear error or is an expression whose value is data", () => {
  fc.assert(fc.property(expressionNoise, assertEvaluatesOrExplains), { numRuns: 3_000 });
});
