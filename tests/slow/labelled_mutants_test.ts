import { assert } from "@std/assert";
import { scoreMutants } from "../../scripts/models/mutation_score.ts";
import { labelledModels } from "../../scripts/models/score_models.ts";
import { readLabelled } from "../support/labelled.ts";

/**
 * Minimum number of mutants. `MOST_MISSED` is the maximum number that `verify` may miss. Never
 * relax these limits.
 */
const LEAST_MUTANTS = 600;
const MOST_MISSED = 0;

Deno.test("verifyPlan detects recorded literals that replace extracted values, if a fresh server changes these values", async () => {
  const missed: string[] = [];
  let mutants = 0;
  for (const recording of [...await readLabelled(), ...await labelledModels()]) {
    const score = await scoreMutants(recording);
    mutants += score.stale + score.unproven + score.missed.length;
    missed.push(...score.missed.map((mutant) => `${score.name}: ${mutant}`));
  }
  assert(mutants >= LEAST_MUTANTS, `${mutants} mutants`);
  assert(missed.length <= MOST_MISSED, missed.join("\n"));
});
