import type { Shard } from "../../plan/partition.ts";
import type { NetworkOptions } from "../../http/network_options.ts";
import type { SampleBatch } from "../metrics/sample.ts";
import type { LoadState } from "../load/load_control.ts";
import type { RunResult } from "../runner.ts";
import type { TickReport } from "../metrics/snapshot.ts";

/** Job of a worker: one shard of a plan. */
export interface WorkerJob {
  /**
   * Plan as JSON text, because a structured clone would not preserve the `ExactNumber` objects in
   * the plan.
   */
  readonly plan: string;
  readonly shard: Shard;
  readonly seed: number;
  /** Seed for shuffling the data. It must be the same in all shards of a run. */
  readonly dataSeed: number;
  readonly network: NetworkOptions;
  /** True if the plan needs the precise clock. */
  readonly preciseClock: boolean;
  /** True if an output needs individual samples. */
  readonly samples: boolean;
  /**
   * True to include `details`, the counts for endpoints, checks and errors, in each one-second
   * report.
   */
  readonly details: boolean;
  /**
   * Contents of the files that the plan uses, by path. Workers read neither files nor environment
   * variables themselves.
   */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly env: ReadonlyMap<string, string | undefined>;
}

/** Message from the main thread to a worker. */
export type WorkerCommand =
  | { readonly kind: "prepare"; readonly job: WorkerJob }
  /**
   * Starts the run. `startsAt` is a `threadTime` (Unix milliseconds). `setup` contains the
   * variables that the `setup` flow has set, as JSON text, because a structured clone would not
   * preserve `ExactNumber` objects.
   */
  | { readonly kind: "start"; readonly startsAt: number; readonly setup: string }
  /** A scenario has ended in all threads. `at` is the time at which it ended (`threadTime`). */
  | { readonly kind: "ended everywhere"; readonly scenario: string; readonly at: number }
  /** Applies a change that the user has made to the load. */
  | { readonly kind: "load"; readonly load: LoadState }
  | { readonly kind: "stop" }
  | { readonly kind: "kill" };

/** Message from a worker to the main thread. */
export type WorkerReport =
  /**
   * The shard is compiled. `now` is the worker's `threadTime`, so that the main thread can check
   * that both use the same time scale.
   */
  | { readonly kind: "ready"; readonly now: number }
  | { readonly kind: "second"; readonly second: TickReport }
  /** A scenario has ended in this thread. */
  | { readonly kind: "ended"; readonly scenario: string }
  /** Confirms `kill`: the worker has canceled its iterations, so its thread is not blocked. */
  | { readonly kind: "killed" }
  | { readonly kind: "samples"; readonly batch: SampleBatch }
  | { readonly kind: "finished"; readonly result: RunResult }
  | { readonly kind: "failed"; readonly message: string };
