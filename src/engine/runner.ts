import { hash } from "node:crypto";
import type { Shard } from "../plan/partition.ts";
import type { Plan } from "../plan/schema/plan.ts";
import type { Clock } from "./vu/clock.ts";
import type { LoadState } from "./kinds/load_control.ts";
import type { SampleBatch } from "./metrics/sample.ts";
import type { Snapshot, TickReport } from "./metrics/snapshot.ts";
import type { RunFailure } from "./summary/codes.ts";
import type { AcceptedFlaw, ShardRun } from "./summary/summary.ts";

/** Properties that identify a run. */
export interface RunIdentity {
  /**
   * SHA-256 (hex) of the plan, with options and overlay applied, and of its files of data and
   * arrivals. Does not cover the plan's keys `outputs` and `env`.
   */
  readonly planHash: string;
  readonly seed: number;
  /** Seed for shuffling the data. It must be the same in all shards of a run. */
  readonly dataSeed: number;
}

/** Inputs from which the identity of a run is computed. */
export interface IdentityOptions {
  readonly shard: Shard;
  /** Seed that the user chose. Undefined means a random seed. */
  readonly seed?: number;
  readonly readFile: (path: string) => Uint8Array;
}

/**
 * Returns the identity of a run. If no seed is given, shards derive the data seed from the plan's
 * hash. As a result, they all shuffle the data in the same order and together use every row once.
 * Throws InputError if a data file cannot be read.
 */
export function runIdentity(plan: Plan, options: IdentityOptions): RunIdentity {
  const planHash = hashPlan(plan, options.readFile);
  const seed = options.seed ?? randomSeed();
  const isShard = options.shard.of > 1 && options.seed === undefined;
  return { planHash, seed, dataSeed: isShard ? parseInt(planHash.slice(0, 8), 16) : seed };
}

/** Reports whether the plan has shuffled data that VUs share. */
export function sharesShuffledData({ data }: Plan): boolean {
  return Object.values(data ?? {}).some(({ pick, mode }) =>
    pick === "shuffle" && mode !== "per_vu"
  );
}

function randomSeed(): number {
  return Math.floor(Math.random() * 2 ** 32);
}

function hashPlan(
  { outputs: _outputs, env: _overlays, ...plan }: Plan,
  readFile: IdentityOptions["readFile"],
): string {
  const files: Record<string, string> = {};
  for (const one of [...Object.values(plan.data ?? {}), ...Object.values(plan.scenarios)]) {
    if ("path" in one) files[one.path] = hash("sha256", readFile(one.path));
  }
  const text = JSON.stringify(
    { plan, files },
    (_, value) => typeof value === "bigint" ? `${value}n` : value,
  );
  return hash("sha256", text);
}

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

/** What a runner reports while it runs, and the signals that it obeys. */
export interface RunHooks {
  /** Called once per second. */
  readonly onSecond?: (second: TickReport) => void;
  /** If samples are kept, called once per second and at the end. */
  readonly onSamples?: (batch: SampleBatch) => void;
  /**
   * Called at the start if the runner can change the load during the run. `set` changes it until
   * the run ends.
   */
  readonly onControl?: (set: (load: LoadState) => void) => void;
  /** Stops the starts of iterations. Running ones may continue until the graceful stop ends. */
  readonly stop?: AbortSignal;
  /** Stops the starts of iterations, and cancels running ones. */
  readonly kill?: AbortSignal;
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
   * Runs the plan to its end. `startsAt` is the start in clock time. Rejects only if there is a bug
   * in rehearse or a worker thread fails.
   */
  run(startsAt: number, hooks: RunHooks): Promise<RunResult>;
}

/** A run that is ready to start: the plan is compiled, and its threads or processes are running. */
export interface PreparedRun {
  readonly runner: Runner;
  readonly clock: Clock;
  readonly identity: RunIdentity;
  /** Part of the load that the runner generates. */
  readonly shard: Shard;
  /** Number of threads that generate the load; in a fleet, of the processes. */
  readonly workers: number;
}

/** Calls `act` when `signal` aborts, or now if it has. Disposing the result ends this. */
export function onAbort(signal: AbortSignal | undefined, act: () => void): Disposable {
  if (signal?.aborted) act();
  signal?.addEventListener("abort", act);
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", act) };
}
