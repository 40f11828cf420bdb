/**
 * Converts the labelled recordings under the default rules and prints how the correlations compare with
 * the labels: a line a recording, then precision and recall. Exits 1 unless both are 1.
 *
 *     deno run -P=scripts scripts/score_correlation.ts
 */
import { convertHar } from "../src/convert/from_har.ts";
import { keptCalls } from "../src/convert/har/kept_calls.ts";
import { readLabelled } from "../tests/support/labelled.ts";
import { foundIn } from "./labelled/found.ts";
import { score } from "./labelled/score.ts";

const rows: Record<string, Record<string, number>> = {};
const faults: string[] = [];
const total = { values: 0, right: 0, wrong: 0, missed: 0 };
for (const { name, recording, labels } of await readLabelled()) {
  const { plan } = convertHar(recording, {});
  const { exchanges } = keptCalls(recording.exchanges, undefined);
  const { right, wrong, missed, faults: own } = score(labels, foundIn(plan, exchanges));
  rows[name] = { values: labels.length, right, wrong, missed };
  faults.push(...own.map((fault) => `${name}: ${fault}`));
  for (const column of ["values", "right", "wrong", "missed"] as const) {
    total[column] += rows[name][column];
  }
}
console.table({ ...rows, total });
for (const fault of faults) console.log(fault);
const precision = total.right / (total.right + total.wrong);
const recall = total.right / (total.right + total.missed);
console.log(`precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`);
if (precision < 1 || recall < 1) Deno.exit(1);
