/**
 * Tests all code that reads untrusted input, with generated and damaged inputs. Prints the number
 * of inputs, the first failing input of each target, and the memory after garbage collections.
 * Exits with 1 if an input fails or memory grows.
 *
 *     deno task fuzz [--share S] [--seed N] [--only TEXT]
 *
 * --share S   fraction of the complete run, at most 1 (default: 0.002, one or two minutes)
 * --seed N    seed of the inputs; the same seed gives the same inputs (default: 1)
 * --only TEXT only targets whose name contains TEXT
 */
import { parseArgs } from "@std/cli/parse-args";
import { Memory } from "./memory.ts";
import type { Target } from "./target.ts";
import { TARGETS } from "./targets.ts";

/**
 * Maximum number of trials in a round. Rounds keep inputs small, because inputs grow with each
 * trial. Memory is sampled after each round.
 */
const MAX_TRIALS_PER_ROUND = 2_000;
const MIN_ROUNDS = 8;

const { only, ...given } = parseArgs(Deno.args, {
  string: ["share", "seed", "only"],
  default: { share: "0.002", seed: "1", only: "" },
});
const [share, seed] = [Number(given.share), Number(given.seed)];
console.log(`share ${share} of the long run, seed ${seed}`);
let failed = 0;
for (const target of TARGETS.filter(({ name }) => name.includes(only))) {
  if (!await passes(target)) failed++;
}
console.log(failed === 0 ? "all targets passed, memory is bounded" : `${failed} targets failed`);
Deno.exitCode = failed === 0 ? 0 : 1;

async function passes(target: Target): Promise<boolean> {
  try {
    return await fuzz(target);
  } catch (error) {
    console.log(`${target.name}: FAILED\n${error instanceof Error ? error.stack : error}`);
    return false;
  }
}

/** Runs a target until it has tested enough inputs. Reports whether its memory use is bounded. */
async function fuzz({ name, unit, long, perTrial, run }: Target): Promise<boolean> {
  const total = Math.ceil(long * share);
  const numRuns = Math.max(
    1,
    Math.min(MAX_TRIALS_PER_ROUND, Math.ceil(total / perTrial / MIN_ROUNDS)),
  );
  const memory = new Memory();
  const started = performance.now();
  let units = 0;
  for (let round = 0; units < total; round++) {
    units += await run({ numRuns, seed: seed + round });
    await memory.sample();
    const minutes = Math.round((performance.now() - started) / 60_000);
    if (share >= 0.1) console.error(`${name}: ${units.toLocaleString("en")} in ${minutes} minutes`);
  }
  const seconds = Math.round((performance.now() - started) / 1_000);
  console.log(
    `${name}: ${units.toLocaleString("en")} ${unit} in ${seconds} s, all passed${memory}`,
  );
  if (!memory.isBounded()) console.log(`${name}: FAILED, memory grows`);
  return memory.isBounded();
}
