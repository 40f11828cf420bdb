import fc from "fast-check";
import { assertReadsBack, hostilePlan, hostileText } from "../../tests/support/hostile_plan.ts";
import { assertPlayableOrExplained, planMutation } from "../../tests/support/plan_mutations.ts";
import type { Target } from "./target.ts";

/** Texts and values changed: a plan that can be played, or diagnostics with their places. */
export const mutatedPlans: Target = {
  name: "plan: mutated, loaded and compiled",
  unit: "mutations",
  long: 200_000,
  perTrial: 1,
  async run(trials) {
    await fc.assert(fc.asyncProperty(planMutation, assertPlayableOrExplained), trials);
    return trials.numRuns;
  },
};

/** Plans full of hostile text: what is printed reads back as the same plan, by three YAML readers. */
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
