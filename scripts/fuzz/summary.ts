import fc from "fast-check";
import { assertReadOrExplained, hostileSummary } from "../../tests/properties/hostile_summary.ts";
import type { Target } from "./target.ts";

/** Checks that `merge` and `report` read changed summaries or print an error, safely escaped. */
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
