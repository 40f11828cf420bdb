/**
 * fast-check with one seed and one number of cases for all properties, so that two runs of the
 * tests on the same commit have the same result. `deno.json` maps `fast-check` to this module. The
 * environment variable `FAST_CHECK_SEED`, an integer or `random`, changes the cases, and
 * `FAST_CHECK_RUNS` their number. With `--expose-gc`, a property also fails if memory grows.
 */
import fc from "npm:fast-check@4.10.2";
import { Memory } from "./memory.ts";

export * from "npm:fast-check@4.10.2";
export default fc;

const DEFAULT_SEED = "20261122";
const DEFAULT_RUNS = "200";
/** Time between two samples of the memory in use, in milliseconds. */
const SAMPLE_MS = 250;

const numRuns = Number(Deno.env.get("FAST_CHECK_RUNS") ?? DEFAULT_RUNS);
const given = Deno.env.get("FAST_CHECK_SEED") ?? DEFAULT_SEED;
const settings = { numRuns, ...given !== "random" && { seed: Number(given) } };
fc.configureGlobal("gc" in globalThis ? { ...settings, ...memoryCheck() } : settings);

/** Parameters of a property whose cases take more than about 10 ms each. */
export const COSTLY: fc.Parameters<unknown> = { numRuns: Math.ceil(numRuns / 10) };
/** Parameters of a property with cheap cases of which few reach the code under test. */
export const RARE: fc.Parameters<unknown> = { numRuns: 10 * numRuns };

/**
 * Any code point except surrogates, as a unit of `fc.string`. Replaces `unit: "binary"`, which
 * takes 0.8 s to create.
 */
export const ANY_CHARACTER: fc.Arbitrary<string> = fc.nat({ max: 0x10ffff - 0x800 })
  .map((n) => String.fromCodePoint(n < 0xd800 ? n : n + 0x800));

/** Chooses between generators, each after its weight. */
export function mix<T>(
  ...choices: [weight: number, arbitrary: fc.Arbitrary<T>][]
): fc.Arbitrary<T> {
  return fc.oneof(...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** Chooses one of the words in a text. */
export const words = (text: string): fc.Arbitrary<string> => fc.constantFrom(...text.split(" "));

/** Parameters that sample the memory while the cases of a property run. */
function memoryCheck(): fc.GlobalParameters {
  let memory = new Memory();
  let sampledAt = performance.now();
  return {
    beforeEach() {
      if (performance.now() < sampledAt + SAMPLE_MS) return;
      memory.sample();
      sampledAt = performance.now();
    },
    reporter(details) {
      const sampled = memory;
      memory = new Memory();
      if (details.failed) {
        throw new Error(fc.defaultReportMessage(details), { cause: details.errorInstance });
      }
      sampled.assertIsBounded();
    },
  };
}
