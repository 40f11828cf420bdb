/**
 * Breaks the writes of converted plans, one at a time, and lists what `verify` and `calibrate` say
 * about the broken plans. Exits with 1 if a verdict is false:
 *
 *     deno run --frozen -A scripts/saboteur.ts HAR… [--seed N] [--most N] [--keep FOLDER]
 *
 * `--most` limits the number of broken plans for each recording (default: all). `--keep` writes the
 * plans with a false verdict to FOLDER.
 */
import { parseArgs } from "@std/cli/parse-args";
import { basename, join } from "@std/path";
import { fileChunks } from "../src/base/bytes/byte_source.ts";
import { printPlan } from "../src/plan/print.ts";
import { readHar } from "../src/traffic/har/read_har.ts";
import { type Judged, judgeSabotages, tableOf } from "./saboteur/judge_sabotages.ts";

const { _: hars, seed, most, keep } = parseArgs(Deno.args, { string: ["seed", "most", "keep"] });
if (keep !== undefined) Deno.mkdirSync(keep, { recursive: true });
const all: Judged[] = [];
const broken: string[] = [];
for (const path of hars.map(String)) {
  const name = basename(path, ".har");
  try {
    using file = Deno.openSync(path);
    const recording = await readHar(fileChunks(file), path);
    const options = { seed: Number(seed ?? 1), most: Number(most ?? Infinity) };
    for await (const judged of judgeSabotages(name, recording, options)) {
      all.push(judged);
      if (judged.isFalse) report(judged);
    }
  } catch (error) {
    broken.push(`${name}: ${error instanceof Error ? error.stack : error}`);
  }
  console.log(`${name}: done`);
}
console.log(tableOf(all));
for (const reason of broken) console.log(reason);
Deno.exit(broken.length > 0 || all.some(({ isFalse }) => isFalse) ? 1 : 0);

function report({ recording, way, what, command, verdict, plan }: Judged): void {
  const file = `${recording}.${all.length}.yaml`;
  console.log(`${command}: ${verdict}, but ${way} in ${recording}, ${what} (${file})`);
  if (keep !== undefined) Deno.writeTextFileSync(join(keep, file), printPlan(plan!, []));
}
