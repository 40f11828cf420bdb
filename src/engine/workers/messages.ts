import type { Shard } from "../../plan/partition.ts";
import type { NetworkOptions } from "../http/network_options.ts";
import type { SampleBatch } from "../outputs/sample.ts";
import type { RunResult, TickReport } from "../runner.ts";

/** Job of a worker: one shard of a plan. */
export interface WorkerJob {
  /** The plan as JSON text: a structured clone would lose the class of exact numbers. */
  readonly plan: string;
  readonly shard: Shard;
  readonly seed: number;
  /** Seed of the order of shuffled data. */
  readonly dataSeed: number;
  readonly network: NetworkOptions;
  /** Whether to keep samples for an output. */
  readonly samples: boolean;
  /** Files and environment variables that the plan uses: workers read neither themselves. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly env: ReadonlyMap<string, string | undefined>;
}

/** Message to a worker. */
export type WorkerCommand =
  | { readonly kind: "prepare"; readonly job: WorkerJob }
  /** `startsAt` is a `threadTime`. */
  | { readonly kind: "start"; readonly startsAt: number }
  | { readonly kind: "stop" }
  | { readonly kind: "kill" };

/** Message from a worker. */
export type WorkerReport =
  /**
   * `now` is the worker's `threadTime`, which shows whether both threads use the same time scale.
   */
  | { readonly kind: "ready"; readonly now: number }
  | { readonly kind: "second"; readonly second: TickReport }
  /** The worker has cancelled its iterations, so its thread is not blocked. */
  | { readonly kind: "killed" }
  | { readonly kind: "samples"; readonly batch: SampleBatch }
  | { readonly kind: "finished"; readonly result: RunResult }
  | { readonly kind: "failed"; readonly message: string };
