/**
 * Compares the access-log scanner with the slow reference over so many made-up logs (100000 unless
 * told), and prints the log that tells them apart, if one does:
 *
 *     deno run scripts/fuzz/accesslog.ts [RUNS] [SEED]
 */
import fc from "fast-check";
import { logArbitrary, noiseArbitrary } from "../../tests/support/accesslog_lines.ts";
import { assertScannedAsReference } from "../../tests/support/accesslog_property.ts";

const numRuns = Number(Deno.args[0] ?? 100_000);
const seed = Number(Deno.args[1] ?? Math.floor(Math.random() * 2 ** 31));
console.log(`${numRuns} logs, seed ${seed}`);
fc.assert(
  fc.property(
    fc.oneof({ weight: 4, arbitrary: logArbitrary }, { weight: 1, arbitrary: noiseArbitrary }),
    fc.integer({ min: 1, max: 400 }),
    assertScannedAsReference,
  ),
  { numRuns, seed },
);
console.log("no difference found");
