/**
 * Replaces each extraction in the plans of the labelled recordings and of the model applications
 * with the recorded value, one at a time, and verifies each resulting mutant. Prints how many
 * mutants `verify` reports as stale or as unproven, and lists the mutants that it does not report.
 * Extractions of values that are the same on every server do not count as mutants. Exits with 1
 * unless `verify` reports all mutants.
 *
 *     deno run -P=scripts scripts/mutate_labelled.ts [NAME…]
 */
import { readLabelled } from "../tests/support/labelled.ts";
import { scoreMutants } from "./models/mutation_score.ts";
import { labelledModels } from "./models/score_models.ts";

const recordings = [...await readLabelled(), ...await labelledModels()]
  .filter(({ name }) => Deno.args.length === 0 || Deno.args.includes(name));

const total = { stale: 0, unproven: 0, missed: 0, needless: 0 };
for (const recording of recordings) {
  const { name, stale, unproven, missed, needless } = await scoreMutants(recording);
  total.stale += stale;
  total.unproven += unproven;
  total.missed += missed.length;
  total.needless += needless.length;
  for (const mutant of missed) console.log(`${name}: ${mutant} is not reported`);
  for (const value of needless) console.log(`${name}: ${value} is the same on each server`);
}
const mutants = total.stale + total.unproven + total.missed;
console.log(
  `${mutants} mutants: ${total.stale} stale, ${total.unproven} unproven, ` +
    `${total.missed} not reported; ${total.needless} values are the same on each server`,
);
if (total.missed > 0) Deno.exit(1);
