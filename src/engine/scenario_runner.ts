import type { Shard } from "../plan/partition.ts";
import type { Clock } from "./clock/clock.ts";
import { FlowEnd } from "./vu/flow_end.ts";
import type { Op } from "./vu/op.ts";
import type { Vu } from "./vu/vu.ts";
import type { ScenarioStats } from "./metrics/scenario_stats.ts";
import type { Executor, ExecutorContext } from "./kinds/executors/executor.ts";

/** Dependencies of a `ScenarioRunner`. */
export interface ScenarioParts {
  readonly clock: Clock;
  readonly shard: Shard;
  readonly stats: ScenarioStats;
  readonly executor: Executor;
  readonly flow: Op;
  /** Start time of the scenario in ms after the start of the run. */
  readonly startMs: number;
  readonly gracefulStopMs: number;
  /** Minimum time in ms between the starts of two consecutive iterations of a VU. */
  readonly paceMs: number;
  /** Creates the k-th VU (from 0) of this shard. */
  readonly openVu: (k: number) => Vu;
  /** Ends the whole run. Called when an assertion with `abort_test` fails. */
  readonly endTest: () => void;
}

/** Runs one scenario from its start to the end of its last iteration. */
export class ScenarioRunner implements ExecutorContext {
  readonly clock: Clock;
  readonly shard: Shard;
  readonly stats: ScenarioStats;
  startsAt = 0;
  stopping = false;
  readonly #parts: ScenarioParts;
  readonly #vus: Vu[] = [];
  readonly #onStop: (() => void)[] = [];
  readonly #run: () => Promise<unknown>;

  constructor(parts: ScenarioParts) {
    this.#parts = parts;
    ({ clock: this.clock, shard: this.shard, stats: this.stats } = parts);
    this.#run = parts.executor.prepare(this);
  }

  /** End of the schedule, in milliseconds after the start of the run. */
  get plannedMs(): number {
    return this.#parts.startMs + this.#parts.executor.durationMs;
  }

  /** End of the graceful stop, in milliseconds after the start of the run. */
  get endsMs(): number {
    return this.plannedMs + this.#parts.gracefulStopMs;
  }

  /**
   * Runs the scenario. `runStartsAt` is the start of the run on the clock. Rejects only if there is
   * a bug in rehearse.
   */
  async run(runStartsAt: number): Promise<void> {
    const { startMs, executor } = this.#parts;
    this.startsAt = runStartsAt + startMs;
    await new Promise<void>((resolve) => {
      this.clock.at(this.startsAt, resolve);
      this.onStop(resolve);
    });
    if (!this.stopping) {
      const cancel = this.clock.at(this.startsAt + executor.durationMs, () => this.stop());
      await this.#run();
      cancel();
    }
    this.stopping = true;
    for (const { session } of this.#vus) session.close();
  }

  /** Stops starting iterations. Running iterations may continue until the graceful stop ends. */
  stop(): void {
    if (this.stopping) return;
    this.stopping = true;
    const elapsed = this.clock.now() - this.startsAt;
    this.stats.scheduledMs = Math.max(0, Math.min(elapsed, this.#parts.executor.durationMs));
    for (const listener of this.#onStop) listener();
    for (const vu of this.#vus) vu.wakeIdle();
    this.clock.at(this.clock.now() + this.#parts.gracefulStopMs, () => this.kill());
  }

  /** Stops starting iterations and cancels running ones. */
  kill(): void {
    this.stop();
    for (const vu of this.#vus) if (vu.running) vu.cancel();
  }

  onStop(listener: () => void): void {
    this.#onStop.push(listener);
  }

  openVu(): Vu {
    const vu = this.#parts.openVu(this.#vus.length);
    this.#vus.push(vu);
    this.stats.maxVus = this.#vus.length;
    return vu;
  }

  async iterate(vu: Vu, dueAt = NaN): Promise<boolean> {
    const startedAt = this.clock.now();
    this.#begin(vu, dueAt);
    try {
      const waits = this.#parts.flow(vu, startedAt);
      if (waits) await waits;
      this.#end(vu, this.clock.now() - startedAt);
      return true;
    } catch (error) {
      return this.#endEarly(vu, error, this.clock.now() - startedAt);
    }
  }

  async loop(vu: Vu, more: () => boolean): Promise<void> {
    const { flow, paceMs } = this.#parts;
    let next = -Infinity;
    let now = this.clock.now();
    this.stats.enter();
    while (!this.stopping) {
      if (paceMs > 0) {
        if (now < next) await vu.idleUntil(next);
        now = this.clock.now();
        next = now + paceMs;
      }
      if (this.stopping || !more()) break;
      // Same as `iterate`, without its extra promise and clock read per iteration.
      const startedAt = now;
      const { waits } = vu;
      this.#begin(vu, NaN);
      try {
        const waits = flow(vu, startedAt);
        if (waits) await waits;
        now = this.clock.now();
        this.#end(vu, now - startedAt);
      } catch (error) {
        now = this.clock.now();
        if (!this.#endEarly(vu, error, now - startedAt)) break;
      }
      if (vu.waits !== waits) continue;
      // A flow that never waits must not block timers and other VUs.
      await vu.idleUntil(now + 1);
      now = this.clock.now();
    }
    this.stats.leave();
  }

  #begin(vu: Vu, dueAt: number): void {
    this.stats.started++;
    vu.begin(dueAt);
  }

  #end(vu: Vu, durationMs: number): void {
    vu.end();
    this.stats.end(durationMs);
  }

  /**
   * Handles an error thrown by an iteration. Returns true if the VU may run another iteration.
   * Rethrows any error that is not a `FlowEnd`.
   */
  #endEarly(vu: Vu, error: unknown, durationMs: number): boolean {
    vu.end();
    if (!(error instanceof FlowEnd)) throw error;
    const { scope, counts } = error;
    if (vu.cancelled) this.stats.interrupt();
    else if (counts) this.stats.end(durationMs);
    if (scope === "test") this.#parts.endTest();
    else if (scope === "scenario") this.stop();
    return scope === "iteration";
  }
}
