/**
 * Breaks the writes of converted plans, one at a time, and lists what `verify` and `calibrate` say
 * about the broken plans. Exits with 1 if a verdict is false:
 *
 *     deno run --frozen -A scripts/saboteur.ts HAR… [--live] [--seed N] [--most N] [--keep FOLDER]
 *     deno run --frozen -A scripts/saboteur.ts HAR… --bystander
 *
 * `--live` calibrates the broken plans on the live applications of `scripts/reality` with the names
 * of the HARs. `--bystander` calibrates the unchanged plans, while the application changes in ways
 * that must not matter. `--most` limits the number of broken plans for each recording (default:
 * all). `--keep` writes the plans with a false verdict to FOLDER.
 */
import { parseArgs } from "@std/cli/parse-args";
import { basename, join } from "@std/path";
import { fileChunks } from "../src/base/bytes/byte_source.ts";
import { printPlan } from "../src/plan/print.ts";
import { readHar } from "../src/traffic/har/read_har.ts";
import type { Recording } from "../src/traffic/har/recording.ts";
import { judgeLive } from "./saboteur/judge_live.ts";
import {
  bystanderTable,
  judgeBystanders,
  type Judged,
  type JudgedBystander,
  judgeSabotages,
  tableOf,
} from "./saboteur/judge_sabotages.ts";

const { _: hars, seed, most, keep, bystander, live } = parseArgs(Deno.args, {
  string: ["seed", "most", "keep"],
  boolean: ["bystander", "live"],
});
const options = { seed: Number(seed ?? 1), most: Number(most ?? Infinity) };
const judged: Judged[] = [];
const bystanders: JudgedBystander[] = [];
const broken: string[] = [];
if (keep !== undefined) Deno.mkdirSync(keep, { recursive: true });
for (const path of hars.map(String)) {
  const name = basename(path, ".har");
  try {
    using file = Deno.openSync(path);
    const recording = await readHar(fileChunks(file), path);
    if (bystander) await judgeUnbroken(name, recording);
    else await judgeBroken(name, path, recording);
  } catch (error) {
    broken.push(`${name}: ${error instanceof Error ? error.stack : error}`);
  }
  console.log(`${name}: done`);
}
console.log(bystander ? bystanderTable(bystanders) : tableOf(judged));
for (const reason of broken) console.log(reason);
const isWrong = [...judged, ...bystanders].some(({ isFalse }) => isFalse);
Deno.exit(broken.length > 0 || isWrong ? 1 : 0);

async function judgeBroken(name: string, path: string, recording: Recording): Promise<void> {
  const all = live
    ? judgeLive(name, path, recording, options)
    : judgeSabotages(name, recording, options);
  for await (const one of all) {
    judged.push(one);
    if (!one.isFalse) continue;
    const { way, what, command, verdict, plan } = one;
    const file = `${name}.${judged.length}.yaml`;
    console.log(`${command}: ${verdict}, but ${way} in ${name}, ${what} (${file})`);
    if (keep !== undefined) Deno.writeTextFileSync(join(keep, file), printPlan(plan!, []));
  }
}

async function judgeUnbroken(name: string, recording: Recording): Promise<void> {
  for await (const one of judgeBystanders(name, recording)) {
    bystanders.push(one);
    const { change, verdict, isRight, isFalse } = one;
    if (isFalse) {
      console.log(`${name}, ${change}: ${verdict}, but the plan is ${isRight ? "right" : "wrong"}`);
    }
  }
}
