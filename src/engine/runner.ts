import type { Shard } from "../plan/partition.ts";
import type { Clock } from "./clock/clock.ts";
import type { RunIdentity } from "./run_identity.ts";
import type { Snapshot, TickReport } from "./metrics/snapshot.ts";
import type { SampleBatch } from "./metrics/sample.ts";
import type { AcceptedFlaw, ShardRun } from "./summary/summary.ts";
import type { LoadState } from "./load/load_control.ts";
import type { RunFailure } from "./summary/codes.ts";

/** Result of `Runner.run`. */
export interface RunResult {
  readonly snapshot: Snapshot;
  /** `assertion` if an assertion with `abort_test` ended the run, otherwise undefined. */
  readonly ended: "assertion" | undefined;
  /** Reason why the run fails regardless of its thresholds. Absent if the thresholds decide. */
  readonly failure?: RunFailure;
  /**
   * Shards that other processes ran and, if the run is incomplete, the reasons. Absent if this
   * process ran the plan.
   */
  readonly coverage?: Coverage;
}

/**
 * Describes the shards that other processes ran. If the shards do not form a complete run, also
 * states the reasons.
 */
export interface Coverage {
  /** Shards that other processes ran. A shard without `ending` ended in the same way as the run. */
  readonly shards: readonly (Omit<ShardRun, "ending"> & Partial<Pick<ShardRun, "ending">>)[];
  /** Reasons why the shards do not form one complete run. Empty if they do. */
  readonly accepted: readonly AcceptedFlaw[];
  /** Reason to report if the run fails because it is incomplete; otherwise absent. */
  readonly failure?: RunFailure;
}

/**
 * Runs a plan, or shards of it. There is one implementation for each place where a shard runs:
 * `ShardRunner` for this thread, `WorkerRunner` for several threads, and `FleetRunner` for other
 * processes.
 */
export interface Runner {
  /** Milliseconds from the start of the run until the last schedule ends. */
  readonly plannedMs: number;
  /**
   * Milliseconds from the start of the run to the end of the last graceful stop. Iterations that
   * are still running then are canceled.
   */
  readonly endsMs: number;
  /**
   * Runs the plan to its end. `startsAt` is the start in clock time. Calls `onSecond` once per
   * second. If samples are kept, calls `onSamples` once per second and at the end. Rejects only if
   * there is a bug in rehearse or a worker thread fails.
   */
  run(
    startsAt: number,
    onSecond: (second: TickReport) => void,
    onSamples: (batch: SampleBatch) => void,
  ): Promise<RunResult>;
  /** Stops starting iterations. Running iterations may continue until the graceful stop ends. */
  stop(): void;
  /** Stops starting iterations and cancels running ones. */
  kill(): void;
  /** Changes the load during the run. Absent if the runner cannot change it. */
  setLoad?(load: LoadState): void;
}

/** A run that is ready to start: the plan is compiled, and its threads or processes are running. */
export interface PreparedRun {
  readonly runner: Runner;
  readonly clock: Clock;
  readonly identity: RunIdentity;
  /** Part of the load that the runner generates. */
  readonly shard: Shard;
}
