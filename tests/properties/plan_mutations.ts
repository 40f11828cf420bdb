import { assert } from "@std/assert";
import fc from "fast-check";
import { InputError } from "../../src/base/errors.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { createShardRunner } from "../../src/engine/shard_runner.ts";
import { WHOLE } from "../../src/plan/partition.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { FakeSender } from "../support/fake_sender.ts";
import { editedJson, jsonEdits } from "../builders/json_edits.ts";
import { loadedOrExplained, planNoise } from "./plan_noise.ts";
import { VirtualClock } from "../support/virtual_clock.ts";

const folder = new URL("../../testdata/plans/", import.meta.url);
const texts = ["every_key.yaml", "login.yaml", "quick.yaml"].map((name) =>
  JSON.stringify(parseYaml(Deno.readTextFileSync(new URL(name, folder))))
);
const edited = fc.tuple(fc.constantFrom(...texts), jsonEdits)
  .map(([text, edits]) => editedJson(text, edits));

/** Generates plans with changes to their text or to their values. */
export const planMutation: fc.Arbitrary<string | Uint8Array> = fc.oneof(planNoise, edited);

/**
 * Loads a string as a plan. Checks that the result is either a plan or diagnostics with positions,
 * and that a plan either compiles or is rejected with an InputError.
 */
export async function assertRunnableOrExplained(source: string | Uint8Array): Promise<void> {
  const plan = await loadedOrExplained(source);
  if (plan !== undefined) await assertCompiles(plan);
}

async function assertCompiles(plan: Plan): Promise<void> {
  const clock = new VirtualClock();
  try {
    const player = await createShardRunner(plan, {
      clock,
      sender: new FakeSender(clock),
      shard: WHOLE,
      seed: 1,
      dataSeed: 1,
      readFile: () => new TextEncoder().encode("id,name\n7,Ada\n"),
      readEnv: () => "x",
    });
    assert(player.plannedMs >= 0);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
  }
}
