/**
 * Tries made-up and damaged inputs on everything that reads what is not trusted. Prints what was
 * tried, the first input of each target that is not dealt with as it should be, and the memory in
 * use after collections; fails when there is such an input, or when memory grows.
 *
 *     deno task fuzz [--share S] [--seed N] [--only TEXT]
 *
 * --share S   so much of the long run: 1 for all of it (default 0.002, a minute or two)
 * --seed N    other inputs (default 1): the same seed tries the same again
 * --only TEXT only targets whose name holds the text
 */
import { parseArgs } from "@std/cli/parse-args";
import { Memory } from "./memory.ts";
import type { Target } from "./target.ts";
import { TARGETS } from "./targets.ts";

/** A trial's input grows with its number, so trials come in rounds; between them memory is looked at. */
const MOST_TRIALS_A_ROUND = 2_000;
const FEWEST_ROUNDS = 8;

const { only, ...given } = parseArgs(Deno.args, {
  string: ["share", "seed", "only"],
  default: { share: "0.002", seed: "1", only: "" },
});
const [share, seed] = [Number(given.share), Number(given.seed)];
console.log(`share ${share} of the long run, seed ${seed}`);
let failed = 0;
for (const target of TARGETS.filter(({ name }) => name.includes(only))) {
  if (!await holds(target)) failed++;
}
console.log(failed === 0 ? "nothing failed, memory stayed bounded" : `${failed} targets failed`);
Deno.exitCode = failed === 0 ? 0 : 1;

async function holds(target: Target): Promise<boolean> {
  try {
    return await fuzz(target);
  } catch (error) {
    console.log(`${target.name}: FAILED\n${error instanceof Error ? error.stack : error}`);
    return false;
  }
}

/** Tries a target until it has its units; gives whether memory stayed bounded. */
async function fuzz({ name, unit, long, perTrial, run }: Target): Promise<boolean> {
  const wanted = Math.ceil(long * share);
  const numRuns = Math.max(
    1,
    Math.min(MOST_TRIALS_A_ROUND, Math.ceil(wanted / perTrial / FEWEST_ROUNDS)),
  );
  const memory = new Memory();
  const started = performance.now();
  let units = 0;
  for (let round = 0; units < wanted; round++) {
    units += await run({ numRuns, seed: seed + round });
    await memory.look();
  }
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(
    `${name}: ${units.toLocaleString("en")} ${unit} in ${seconds} s, none failed${memory}`,
  );
  if (!memory.isBounded()) console.log(`${name}: FAILED, memory grew`);
  return memory.isBounded();
}
