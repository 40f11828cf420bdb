import fc from "fast-check";
import { assertEvaluatesOrExplains, expressionNoise } from "../../properties/expressions.ts";

Deno.test("any text is either rejected with a clear error or evaluates to data", () => {
  fc.assert(fc.property(expressionNoise, assertEvaluatesOrExplains), { numRuns: 3_000 });
});
