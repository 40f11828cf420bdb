import type { Plan } from "../plan/schema/plan.ts";
import { type Shard, WHOLE } from "../plan/partition.ts";
import type { Clock } from "./clock.ts";
import { superviseRun } from "./supervise_run.ts";
import { clockFor } from "./real_clock.ts";
import { runIdentity } from "./run_identity.ts";
import { shardRunner } from "./shard_runner.ts";
import { needsSamples, type RunOutput } from "./outputs/run_output.ts";
import type { Sender } from "./sender.ts";
import type { Progress, Summary } from "./summary.ts";

/** How a run is to be played. */
export interface RunOptions {
  readonly sender: Sender;
  /** Real time when absent. */
  readonly clock?: Clock;
  /** Only a part of the load; all of it when absent. */
  readonly share?: Shard;
  /** Drawn at random when absent; shards then shuffle data in an order that the plan determines. */
  readonly seed?: number;
  /** Reads a file of the plan (paths as the plan writes them). Throws InputError. */
  readonly readFile: (path: string) => Uint8Array;
  /** An environment variable, for `${env.X}` and secrets; undefined when it is not set. */
  readonly readEnv: (name: string) => string | undefined;
  /** Nothing new starts; what is in flight gets its graceful stop. */
  readonly stop?: AbortSignal;
  /** What is in flight is cancelled too. */
  readonly kill?: AbortSignal;
  /** Where figures go while it is played; whoever opened them closes them. */
  readonly outputs?: readonly RunOutput[];
  /** Called at the start with the milliseconds after which the last iteration is cancelled. */
  readonly onStart?: (endsMs: number) => void;
  /** Once a second. */
  readonly onTick?: (progress: Progress) => void;
}

/**
 * Plays `plan` (overlays merged, checked) and judges its thresholds. Throws InputError before any
 * load when the plan cannot be played: a file, variable or secret is missing, a URL is relative
 * without a base. Never throws for what a target does.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { loadPlan } from "../plan/load_plan.ts";
 * import { networkOptions } from "./http/network_options.ts";
 * import { networkSender } from "./http/network_sender.ts";
 * import { run } from "./run_plan.ts";
 *
 * const { plan } = await loadPlan(`
 * scenarios:
 *   main:
 *     executor: per-vu-iterations
 *     vus: 2
 *     iterations: 3
 *     flow:
 *       - think_time: 1ms
 * thresholds:
 *   iterations: ["count==6"]
 * `);
 * const sender = networkSender(networkOptions(plan!.defaults?.http ?? {}, Deno.readTextFileSync));
 * const summary = await run(plan!, {
 *   sender,
 *   readFile: Deno.readFileSync,
 *   readEnv: () => undefined,
 * });
 * sender.close();
 * assertEquals(summary.passed, true);
 * ```
 */
export async function run(plan: Plan, options: RunOptions): Promise<Summary> {
  const { share = WHOLE } = options;
  const identity = await runIdentity(plan, { ...options, share });
  const clock = options.clock ?? await clockFor(plan);
  try {
    const player = await shardRunner(plan, {
      ...options,
      ...identity,
      clock,
      share,
      samples: needsSamples(options.outputs),
    });
    return await superviseRun(plan, player, { ...options, identity, clock, share });
  } finally {
    if (options.clock === undefined) clock.close();
  }
}
