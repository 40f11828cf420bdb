import { TARGETS } from "../../scripts/fuzz/targets.ts";

// A short form of `deno task fuzz`, with new inputs in each run. A failure prints its seed.
for (const { name, perTrial, run } of TARGETS) {
  Deno.test(`fuzz, ${name}`, async () => {
    await run({ numRuns: perTrial > 2 ? 30 : 300 });
  });
}
