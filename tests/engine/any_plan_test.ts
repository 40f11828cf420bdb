import { assert, assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER, COSTLY } from "fast-check";
import { InputError } from "../../src/base/errors.ts";
import { parseYaml } from "../../src/base/yaml.ts";
import { ShardRunner } from "../../src/engine/shard_runner.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { WHOLE } from "../../src/plan/partition.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { FakeSender } from "../support/fake_sender.ts";
import { editedJson, jsonEdits } from "../builders/json_edits.ts";
import { VirtualClock } from "../support/virtual_clock.ts";

const PLAN = new URL("../../testdata/plans/every_key.yaml", import.meta.url);

const everyKey = Deno.readTextFileSync(PLAN);
const lines = everyKey.split("\n");
const snippet = fc.constantFrom(
  ...[
    ...["&a", "*a", "*home", "!!str", "<<: *home", "- ", "? ", ": ", "{", "}", "[", "]", "\t", "|"],
    ...[">", "%"],
  ],
  ...[
    ...["__proto__: {}", "toString: {}", "constructor: 1", "---\n", "...", '"', "'", "\0"],
    ...["\ud800", "\x85"],
  ],
  ...["${", "$${", "}", "null", ".nan", "1e999", "0x", "~", "executor: x", "type: json", "flow:"],
);
const mutated = fc.array(
  fc.tuple(fc.nat(lines.length - 1), fc.oneof(snippet, fc.string()), fc.constantFrom(0, 1, 2, 3)),
  { maxLength: 4 },
).map((edits) => {
  const text = [...lines];
  for (const [line, insert, how] of edits) {
    const before = text[line] ?? "";
    const colon = before.indexOf(":") + 1;
    text[line] = [before + insert, insert, before.slice(0, colon) + " " + insert, ""][how];
  }
  return text.join("\n");
});

/** Generates strings and bytes that are almost plans, almost YAML, or noise. */
const planNoise: fc.Arbitrary<string | Uint8Array> = fc.oneof(
  mutated,
  fc.string({ unit: ANY_CHARACTER }),
  fc.array(snippet).map((parts) => parts.join("")),
  fc.uint8Array({ maxLength: 200 }),
);

/**
 * Loads a string as a plan. If that fails, asserts that each error has a position and a message.
 */
function loadedOrExplained(
  source: string | Uint8Array,
): Plan | undefined {
  const { plan, diagnostics } = loadPlan(source);
  assertEquals(plan === undefined, diagnostics.some(({ severity }) => severity === "error"));
  for (const { line, column, message } of diagnostics) {
    assert(line >= 1 && column >= 1 && message !== "" && !message.includes("Invalid input"));
  }
  return plan;
}

const folder = new URL("../../testdata/plans/", import.meta.url);
const texts = ["every_key.yaml", "login.yaml", "quick.yaml"].map((name) =>
  JSON.stringify(parseYaml(Deno.readTextFileSync(new URL(name, folder))))
);
const edited = fc.tuple(fc.constantFrom(...texts), jsonEdits)
  .map(([text, edits]) => editedJson(text, edits));

Deno.test("any text is loaded and compiled as a plan, or rejected with positions", () =>
  fc.assert(
    fc.property(fc.oneof(planNoise, edited), (source) => {
      const plan = loadedOrExplained(source);
      if (plan !== undefined) assertCompiles(plan);
    }),
    COSTLY,
  ));

function assertCompiles(plan: Plan): void {
  const clock = new VirtualClock();
  try {
    const player = new ShardRunner(plan, {
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
