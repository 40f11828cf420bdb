import { subShard, WHOLE } from "../../plan/partition.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { superviseRun } from "../supervise_run.ts";
import type { NetworkOptions } from "../http/network_options.ts";
import { networkSender } from "../http/network_sender.ts";
import { realClock } from "../real_clock.ts";
import { needsSamples } from "../outputs/run_output.ts";
import { run, type RunOptions } from "../run_plan.ts";
import { runIdentity } from "../run_identity.ts";
import { shardRunner } from "../shard_runner.ts";
import type { Summary } from "../summary.ts";
import { recordingReaders } from "./recording_readers.ts";
import { workerCount } from "./worker_count.ts";
import { workerRunner } from "./worker_runner.ts";

/** How a run over the network is to be played. */
export interface CoresOptions extends Omit<RunOptions, "sender" | "clock"> {
  readonly network: NetworkOptions;
  /** Threads; chosen by the load and the machine when absent. 1 plays in this thread. */
  readonly workers?: number;
}

/**
 * `run` over the network, in as many threads as the load is worth. Where no threads can be started
 * it plays in this one. Throws as `run` does.
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
  const { share: outer = WHOLE, network } = options;
  const identity = await runIdentity(plan, { ...options, share: outer });
  const clock = realClock();
  const sender = networkSender(network);
  try {
    const { readers, files, env } = recordingReaders(options);
    // Compiled here first: it says what is wrong with the plan, and which files the workers need.
    const { plannedMs, endsMs } = await shardRunner(plan, {
      ...readers,
      ...identity,
      clock,
      sender,
      share: outer,
    });
    const text = JSON.stringify(plan);
    const jobs = Array.from({ length: workers }, (_, index) => {
      const share = subShard(outer, { index, of: workers });
      const samples = needsSamples(options.outputs);
      return { plan: text, share, ...identity, network, files, env, samples };
    });
    const player = await workerRunner(jobs, { plannedMs, endsMs });
    return player &&
      await superviseRun(plan, player, { ...options, identity, clock, share: outer });
  } finally {
    sender.close();
    clock.close();
  }
}
