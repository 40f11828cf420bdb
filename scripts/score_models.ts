/**
 * Converts the recorded sessions of the model applications (`testdata/har/models`), and compares
 * what the plans send to a fresh server with what a browser sends to it. Prints one line per
 * application, then precision and recall, with `--correlate json` and by default.
 *
 *     deno run -P=scripts scripts/score_models.ts [--faults] [NAME…]
 */
import { labelledModels, precisionAndRecall, scoreModel } from "./models/score_models.ts";

const [names, flags] = [
  Deno.args.filter((arg) => !arg.startsWith("--")),
  Deno.args.filter((arg) => arg.startsWith("--")),
];
const models = (await labelledModels())
  .filter(({ name }) => names.length === 0 || names.includes(name));
for (const [title, jsonOnly] of [["--correlate json", true], ["default", false]] as const) {
  const scores = models.map((model) => scoreModel(model, jsonOnly));
  console.log(title);
  console.table(Object.fromEntries(
    scores.map(({ name, faults: _, ...counts }) => [name, counts]),
  ));
  if (flags.includes("--faults")) {
    for (const { name, faults } of scores) {
      for (const fault of faults) console.log(`${name}: ${fault}`);
    }
  }
  const [precision, recall] = precisionAndRecall(scores);
  console.log(`precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}\n`);
}
