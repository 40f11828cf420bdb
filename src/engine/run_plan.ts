import { isOpenModel } from "../plan/kinds/executors.ts";
import type { Plan } from "../plan/schema/plan.ts";
import { type Shard, WHOLE } from "../plan/partition.ts";
import type { Clock } from "./clock/clock.ts";
import type { LoadControl } from "./load/load_control.ts";
import type { RequestObserver, RequestSupervisor } from "./flow/request_observer.ts";
import { superviseRun } from "./supervise_run.ts";
import { preciseClock, realClock } from "./clock/real_clock.ts";
import { runIdentity } from "./run_identity.ts";
import { withSetup } from "./set_up.ts";
import { ShardRunner } from "./shard_runner.ts";
import { needsDetails, needsSamples, type RunOutput } from "./outputs/open_output.ts";
import type { Sender } from "../http/sender.ts";
import type { Summary } from "./summary/summary.ts";
import type { Progress } from "./progress.ts";
import type { PreparedRun } from "./runner.ts";

/** Options for a run. */
export interface RunOptions {
  readonly sender: Sender;
  /** Source of time. By default, a real clock that is as accurate as the plan needs. */
  readonly clock?: Clock;
  /** Part of the load to run. By default, the whole load. */
  readonly shard?: Shard;
  /**
   * Seed for random numbers (default: a random one). Without a seed, all shards still shuffle data
   * in the same order, which depends only on the plan and its data files.
   */
  readonly seed?: number;
  /**
   * Reads a file that the plan names. The path is as written in the plan. Throws InputError if the
   * file cannot be read.
   */
  readonly readFile: (path: string) => Uint8Array;
  /**
   * Returns the value of an environment variable, for `${env.X}` and secrets, or undefined if it is
   * not set.
   */
  readonly readEnv: (name: string) => string | undefined;
  /**
   * Signal that stops the run: no more iterations start, but running iterations may continue until
   * the graceful stop ends.
   */
  readonly stop?: AbortSignal;
  /**
   * Signal that ends the run immediately: no more iterations start, and running ones are canceled.
   */
  readonly kill?: AbortSignal;
  /** Observes every request of the run. */
  readonly observer?: RequestObserver;
  /**
   * Observes and amends every request of the run. If set, the run ignores think times and
   * throttling.
   */
  readonly supervisor?: RequestSupervisor;
  /**
   * True to include `details`, the counts for endpoints, checks and errors, in each one-second
   * report.
   */
  readonly details?: boolean;
  /** Outputs for samples and metrics. The caller closes them. */
  readonly outputs?: readonly RunOutput[];
  /**
   * Called when the run starts. Iterations that are still running `endsMs` milliseconds later are
   * canceled.
   */
  readonly onStart?: (endsMs: number) => void;
  /**
   * False to make no one-second reports, so that the cost of a run in virtual time does not depend
   * on its duration (default: true).
   */
  readonly ticks?: boolean;
  /** Called once per second with the progress of the run. */
  readonly onTick?: (progress: Progress) => void;
  /** Changes the load during the run. */
  readonly control?: LoadControl;
}

/**
 * Runs `plan` and evaluates its thresholds. The plan must be validated, and its overlays must be
 * merged. Throws InputError before generating any load if the plan cannot run, for example if a
 * file, variable or secret is missing, or if a URL is relative and there is no base URL. Does not
 * throw if the target fails.
 *
 * @example
 * ```ts
 * import { assertEquals } from "@std/assert";
 * import { loadPlan } from "../plan/load_plan.ts";
 * import { networkOptions } from "../http/network_options.ts";
 * import { networkSender } from "../http/network_sender.ts";
 * import { run } from "./run_plan.ts";
 *
 * const { plan } = loadPlan(`
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
  using prepared = await prepareHere(plan, options);
  return await superviseRun(plan, prepared, options);
}

/**
 * Prepares a run in this thread: compiles the plan, and runs its `setup`. Throws InputError if the
 * plan cannot run, and RunError if `setup` fails.
 */
export async function prepareHere(
  plan: Plan,
  options: RunOptions,
): Promise<PreparedRun & Disposable> {
  const { shard = WHOLE } = options;
  const identity = runIdentity(plan, { ...options, shard });
  using opened = new DisposableStack();
  const clock = options.clock ??
    opened.adopt(needsPreciseClock(plan) ? await preciseClock() : realClock(), closeClock);
  const parts = {
    ...options,
    ...identity,
    clock,
    shard,
    samples: needsSamples(options.outputs),
    details: options.details || needsDetails(options.outputs),
  };
  const runner = await withSetup(
    plan,
    parts,
    (setup) => new ShardRunner(plan, { ...parts, setup }),
  );
  const all = opened.move();
  return { runner, clock, identity, shard, [Symbol.dispose]: () => all.dispose() };
}

function closeClock(clock: Clock): void {
  clock.close();
}

/**
 * Reports whether a plan needs the precise clock, which uses a separate thread. Open-model
 * scenarios need it, because they start iterations at scheduled times.
 */
export function needsPreciseClock({ scenarios }: Plan): boolean {
  return Object.values(scenarios).some(({ executor }) => isOpenModel(executor));
}
