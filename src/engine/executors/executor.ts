import type { Shard } from "../../plan/partition.ts";
import type { Clock } from "../clock.ts";
import type { Vu } from "../flow/vu.ts";
import type { ScenarioStats } from "../metrics/scenario_stats.ts";

/** Context of an executor: one scenario, or one shard of it, from its start to its end. */
export interface ExecutorContext {
  readonly clock: Clock;
  /** Start of the scenario on the clock. */
  readonly startsAt: number;
  readonly shard: Shard;
  readonly stats: ScenarioStats;
  /** Whether no iteration may start: the schedule has ended or the run is being stopped. */
  readonly stopping: boolean;
  /** Calls `listener` when `stopping` becomes true. */
  onStop(listener: () => void): void;
  /** Creates the next VU of this shard. */
  openVu(): Vu;
  /**
   * Runs one iteration; `dueAt` is its scheduled time in an open model. Resolves to false if the VU
   * must not run any more.
   */
  iterate(vu: Vu, dueAt?: number): Promise<boolean>;
  /**
   * Runs iterations one after another while `more` returns true; meanwhile the VU counts as busy.
   */
  loop(vu: Vu, more: () => boolean): Promise<void>;
}

/** Executor of a scenario. */
export interface Executor {
  /** Milliseconds from the scenario's start until no more iterations start. */
  readonly durationMs: number;
  /**
   * Creates the VUs before the start. Returns a function that runs the schedule, which resolves
   * after the last iteration.
   */
  prepare(context: ExecutorContext): () => Promise<unknown>;
}
