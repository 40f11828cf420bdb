import type { Shard } from "../../plan/partition.ts";
import type { Clock } from "../clock.ts";
import type { Vu } from "../flow/vu.ts";
import type { ScenarioStats } from "../metrics/scenario_stats.ts";

/** What an executor has to work with: one scenario, or one share of it, from its start to its end. */
export interface ExecutorContext {
  readonly clock: Clock;
  /** When the scenario starts, on the clock. */
  readonly startsAt: number;
  readonly share: Shard;
  readonly stats: ScenarioStats;
  /** Nothing new may start: the schedule has ended, or somebody stops the run. */
  readonly stopping: boolean;
  /** Calls back when `stopping` becomes true. */
  onStop(act: () => void): void;
  /** Makes a VU, the next number of this share. */
  openVu(): Vu;
  /** Plays one iteration; `dueAt` is when an open model wanted it. False when the VU plays no more. */
  iterate(vu: Vu, dueAt?: number): Promise<boolean>;
  /** Plays iterations one after the other while `more` is true; counts the VU as at work meanwhile. */
  loop(vu: Vu, more: () => boolean): Promise<void>;
}

/** A scenario's executor, with how long its schedule takes. */
export interface Executor {
  /** From the scenario's start until nothing new starts. */
  readonly durationMs: number;
  /**
   * Makes the VUs, before the start. What it gives is called at the start and plays until every
   * iteration has ended.
   */
  prepare(playing: ExecutorContext): () => Promise<unknown>;
}
