import type { Shard } from "../../plan/partition.ts";
import type { NetworkOptions } from "../http/network_options.ts";
import type { SampleBatch } from "../outputs/sample.ts";
import type { RunResult, TickReport } from "../runner.ts";

/** What a worker needs to play its share. */
export interface WorkerJob {
  /** The plan as JSON text: a structured clone would lose the class of exact numbers. */
  readonly plan: string;
  readonly share: Shard;
  readonly seed: number;
  /** Seed of the order of shuffled data. */
  readonly dataSeed: number;
  readonly network: NetworkOptions;
  /** Whether all that happens is kept for an output. */
  readonly samples: boolean;
  /** The files and environment variables that the plan uses: workers read neither. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly env: ReadonlyMap<string, string | undefined>;
}

/** What a worker is told. */
export type WorkerCommand =
  | { readonly kind: "prepare"; readonly job: WorkerJob }
  /** `startsAt` is by `threadTime`. */
  | { readonly kind: "start"; readonly startsAt: number }
  | { readonly kind: "stop" }
  | { readonly kind: "kill" };

/** What a worker tells. */
export type WorkerReport =
  /** Its `threadTime`, by which the start is told. */
  | { readonly kind: "ready"; readonly now: number }
  | { readonly kind: "second"; readonly second: TickReport }
  /** The order to kill has been obeyed: the thread is not blocked. */
  | { readonly kind: "killed" }
  | { readonly kind: "samples"; readonly batch: SampleBatch }
  | { readonly kind: "played"; readonly played: RunResult }
  | { readonly kind: "failed"; readonly message: string };
