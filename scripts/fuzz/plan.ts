/**
 * Prints made-up plans and reads them back, and loads noise, so many times each (20000 unless told);
 * prints what fails, if anything does:
 *
 *     deno run --allow-read --allow-env scripts/fuzz/plan.ts [RUNS] [SEED]
 */
import fc from "fast-check";
import { assertReadsBack, hostilePlan, hostileText } from "../../tests/support/hostile_plan.ts";
import { assertLoadedOrExplained, planNoise } from "../../tests/support/plan_noise.ts";

const numRuns = Number(Deno.args[0] ?? 20_000);
const seed = Number(Deno.args[1] ?? Date.now() % 2 ** 31);
console.log(`${numRuns} plans, seed ${seed}`);
fc.assert(fc.property(hostilePlan, hostileText, assertReadsBack), { numRuns, seed });
console.log("every printed plan read back");
await fc.assert(fc.asyncProperty(planNoise, assertLoadedOrExplained), { numRuns, seed });
console.log("every text gave a plan or diagnostics");
