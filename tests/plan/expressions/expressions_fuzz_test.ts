import fc from "fast-check";
import { assertEvaluatesOrExplains, expressionNoise } from "../../properties/expressions.ts";

Deno.test("any expression text either evaluates to plain data or is rejected with a clear error", () => {
  fc.assert(fc.property(expressionNoise, assertEvaluatesOrExplains), { numRuns: 3_000 });
});
