import fc from "fast-check";
import { assertReadOrExplained, hostileSummary } from "../../tests/properties/hostile_summary.ts";
import type { Target } from "./target.ts";

/**
 * Checks that `merge` and `report` either read a changed summary, or print a safely escaped error.
 */
export const summaries: Target = {
  name: "summary: changed, merged and reported",
  unit: "mutations",
  long: 20_000,
  perTrial: 1,
  async run(trials) {
    await fc.assert(fc.asyncProperty(hostileSummary, assertReadOrExplained), trials);
    return trials.numRuns;
  },
};
