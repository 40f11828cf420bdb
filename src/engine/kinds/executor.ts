import type { Clock } from "../clock/clock.ts";
import type { ScenarioLoad } from "../load/load_control.ts";
import type { ScenarioStats } from "../metrics/scenario_stats.ts";
import type { Place, Vu } from "../vu/vu.ts";
import type { Shard } from "../../plan/partition.ts";

/** Context in which an executor runs one scenario, or one shard of it. */
export interface ExecutorContext {
  readonly clock: Clock;
  /**
   * Start time of the scenario, in milliseconds on `clock`; Infinity while the start is unknown.
   */
  readonly startsAt: number;
  readonly shard: Shard;
  readonly stats: ScenarioStats;
  /** Seed for the random times of starts. It is the same in all shards of a run. */
  readonly seed: number;
  /**
   * Reads a file that the plan names. Throws InputError if the file cannot be read.
   */
  readonly readFile: (path: string) => Uint8Array;
  /**
   * True if no more iterations may start, because the schedule has ended or the run is stopping.
   */
  readonly stopping: boolean;
  /** Calls `listener` when `stopping` becomes true. */
  onStop(listener: () => void): void;
  /**
   * Calls `listener` when the user changes the load during the run. The listener need not pause VUs
   * that run in `loop`, because `loop` pauses them itself.
   */
  onLoad(listener: (load: ScenarioLoad) => void): void;
  /** Creates the next VU of this shard. */
  openVu(): Vu;
  /**
   * Runs one iteration in an open model. `dueAt` is its scheduled start in clock time, and `place`
   * its position in the schedule, from 0 to 1. Resolves to false if the VU must not run any more
   * iterations.
   */
  iterate(vu: Vu, dueAt: number, place: Place): Promise<boolean>;
  /**
   * Runs iterations in a closed model, one after another, as long as `more` returns true. Calls
   * `more` once before each iteration. Also calls `isWanted` before each iteration, and when the VU
   * is woken between two iterations. If `isWanted` returns false, the VU ends without another
   * iteration. The VU counts as active until the returned promise resolves. `dueAt` is the planned
   * start of the VU in clock time (default: the start of the scenario).
   */
  loop(vu: Vu, more: () => boolean, isWanted?: () => boolean, dueAt?: number): Promise<void>;
}

/** Schedules the iterations of a scenario. */
export interface Executor {
  /**
   * Duration of the schedule in milliseconds, from the start of the scenario. No iteration starts
   * after the schedule ends.
   */
  readonly durationMs: number;
  /**
   * Prepares a run of the scenario. Executors with a fixed number of VUs create their VUs in this
   * method, before the start. The returned function runs the schedule, and its promise resolves
   * after the last iteration.
   */
  prepare(context: ExecutorContext): () => Promise<unknown>;
}
