import fc from "fast-check";
import { assertEvaluatesOrExplains, expressionNoise } from "../../tests/properties/expressions.ts";
import type { Target } from "./target.ts";

/**
 * Checks that any text either causes a clear error or is an expression that evaluates to plain
 * data.
 */
export const expressions: Target = {
  name: "expressions: parsed and evaluated",
  unit: "expressions",
  long: 500_000,
  perTrial: 1,
  run(trials) {
    fc.assert(fc.property(expressionNoise, assertEvaluatesOrExplains), trials);
    return trials.numRuns;
  },
};
