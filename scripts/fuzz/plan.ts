import fc from "fast-check";
import { assertReadsBack, hostilePlan, hostileText } from "../../tests/properties/hostile_plan.ts";
import { assertRunnableOrExplained, planMutation } from "../../tests/properties/plan_mutations.ts";
import type { Target } from "./target.ts";

/**
 * Checks that plans with changed text or values either compile or cause diagnostics with positions.
 */
export const mutatedPlans: Target = {
  name: "plan: mutated, loaded and compiled",
  unit: "mutations",
  long: 200_000,
  perTrial: 1,
  async run(trials) {
    await fc.assert(fc.asyncProperty(planMutation, assertRunnableOrExplained), trials);
    return trials.numRuns;
  },
};

/**
 * Checks that a plan with hostile text is printed as YAML that three parsers read back as the same
 * plan.
 */
export const printedPlans: Target = {
  name: "plan: printed and read back",
  unit: "plans",
  long: 20_000,
  perTrial: 1,
  run(trials) {
    fc.assert(fc.property(hostilePlan, hostileText, assertReadsBack), trials);
    return trials.numRuns;
  },
};
