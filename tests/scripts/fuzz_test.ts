import { TARGETS } from "../../scripts/fuzz/targets.ts";

// Runs a short version of `deno task fuzz`, with new inputs each time. A failure prints its seed.
for (const { name, perTrial, run } of TARGETS) {
  Deno.test(`a short fuzz run finds no failure: ${name}`, async () => {
    await run({ numRuns: perTrial > 2 ? 30 : 300 });
  });
}
