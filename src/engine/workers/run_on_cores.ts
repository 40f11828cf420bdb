import { subShard, WHOLE } from "../../plan/partition.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { superviseRun } from "../supervise_run.ts";
import type { NetworkOptions } from "../../http/network_options.ts";
import { networkSender } from "../../http/network_sender.ts";
import { realClock } from "../clock/real_clock.ts";
import { needsSamples } from "../outputs/run_output.ts";
import { needsPreciseClock, run, type RunOptions } from "../run_plan.ts";
import { runIdentity } from "../run_identity.ts";
import { createShardRunner } from "../shard_runner.ts";
import type { Summary } from "../summary/summary.ts";
import { workerCount } from "./worker_count.ts";
import { createWorkerRunner } from "./worker_runner.ts";
import type { Readers } from "../flow/constants.ts";

/** Options for a run over the network. */
export interface CoresOptions extends Omit<RunOptions, "sender" | "clock"> {
  readonly network: NetworkOptions;
  /**
   * Number of threads. With 1, the plan runs in this thread. By default, the number depends on the
   * load and on the number of CPU cores.
   */
  readonly workers?: number;
}

/**
 * Runs a plan over the network with as many threads as the load needs. Runs it in this thread if
 * threads cannot be started. Throws InputError if the plan cannot run, and RunError if a thread
 * does not end.
 */
export async function runOnCores(plan: Plan, options: CoresOptions): Promise<Summary> {
  const { workers = workerCount(plan, navigator.hardwareConcurrency) } = options;
  const summary = workers > 1 ? await runInWorkers(plan, workers, options) : undefined;
  return summary ?? await runHere(plan, options);
}

async function runHere(plan: Plan, options: CoresOptions): Promise<Summary> {
  const sender = networkSender(options.network);
  try {
    return await run(plan, { ...options, sender });
  } finally {
    sender.close();
  }
}

async function runInWorkers(
  plan: Plan,
  workers: number,
  options: CoresOptions,
): Promise<Summary | undefined> {
  const { shard: outer = WHOLE, network } = options;
  const identity = await runIdentity(plan, { ...options, shard: outer });
  const clock = realClock();
  const sender = networkSender(network);
  try {
    const { readers, files, env } = recordingReaders(options);
    // Compiling the plan here reports its errors and records the files that the workers need.
    const { plannedMs, endsMs } = await createShardRunner(plan, {
      ...readers,
      ...identity,
      clock,
      sender,
      shard: outer,
    });
    const text = JSON.stringify(plan);
    const jobs = Array.from({ length: workers }, (_, index) => {
      const shard = subShard(outer, { index, of: workers });
      const samples = needsSamples(options.outputs);
      const preciseClock = needsPreciseClock(plan);
      return { plan: text, shard, ...identity, network, files, env, samples, preciseClock };
    });
    const runner = await createWorkerRunner(jobs, { plannedMs, endsMs });
    return runner &&
      await superviseRun(plan, runner, { ...options, identity, clock, shard: outer });
  } finally {
    sender.close();
    clock.close();
  }
}

/** Wraps readers and records everything they read in `files` and `env`, for use by the workers. */
export function recordingReaders({ readFile, readEnv }: Readers): {
  readers: Readers;
  files: Map<string, Uint8Array>;
  env: Map<string, string | undefined>;
} {
  const files = new Map<string, Uint8Array>();
  const env = new Map<string, string | undefined>();
  const keep = <T>(map: Map<string, T>, read: (key: string) => T) => (key: string): T => {
    const value = map.get(key) ?? read(key);
    map.set(key, value);
    return value;
  };
  return { readers: { readFile: keep(files, readFile), readEnv: keep(env, readEnv) }, files, env };
}
