/**
 * Converts the labelled recordings and compares the correlations in the plans with the labels.
 * Prints one line per recording, then precision and recall. Exits with 1 unless both are 1.
 *
 *     deno run -P=scripts scripts/score_correlation.ts [json]
 *
 * Searches all sources or, with the argument `json`, only JSON bodies.
 */
import { scoreSet } from "./labelled/score_set.ts";

const scores = await scoreSet(Deno.args[0] === "json");
const total = { values: 0, right: 0, wrong: 0, missed: 0 };
const rows = scores.map(({ name, values, right, wrong, missed }) => {
  total.values += values;
  total.right += right;
  total.wrong += wrong;
  total.missed += missed;
  return [name, { values, right, wrong, missed }];
});
console.table(Object.fromEntries([...rows, ["total", total]]));
for (const { name, faults } of scores) for (const fault of faults) console.log(`${name}: ${fault}`);
const precision = total.right / (total.right + total.wrong);
const recall = total.right / (total.right + total.missed);
console.log(`precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`);
if (precision < 1 || recall < 1) Deno.exit(1);
