import type { Shard } from "../../plan/partition.ts";
import type { Clock } from "../clock.ts";
import { FlowEnd } from "../flow/flow_end.ts";
import type { Op } from "../flow/op.ts";
import type { Vu } from "../flow/vu.ts";
import type { ScenarioStats } from "../metrics/scenario_stats.ts";
import type { Executor, ExecutorContext } from "./executor.ts";

/** Dependencies of a scenario's runner. */
export interface ScenarioParts {
  readonly clock: Clock;
  readonly shard: Shard;
  readonly stats: ScenarioStats;
  readonly executor: Executor;
  readonly flow: Op;
  /** Start in ms after the run's start. */
  readonly startMs: number;
  readonly gracefulStopMs: number;
  /** Minimum time in ms from one start of a VU's iterations to the next. */
  readonly paceMs: number;
  /** Creates the k-th VU (from 0) of this shard. */
  readonly openVu: (k: number) => Vu;
  /** Ends the whole run because of an assertion. */
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

  /** Milliseconds from the run's start to the end of the schedule. */
  get plannedMs(): number {
    return this.#parts.startMs + this.#parts.executor.durationMs;
  }

  /** Milliseconds from the run's start to the end of the graceful stop. */
  get endsMs(): number {
    return this.plannedMs + this.#parts.gracefulStopMs;
  }

  /**
   * Runs the scenario; the run starts at `runStartsAt`. Rejects only if there is a bug in rehearse.
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

  /** Stops starting iterations; running ones get their graceful stop. */
  stop(): void {
    if (this.stopping) return;
    this.stopping = true;
    const elapsed = this.clock.now() - this.startsAt;
    this.stats.scheduledMs = Math.max(0, Math.min(elapsed, this.#parts.executor.durationMs));
    for (const listener of this.#onStop) listener();
    for (const vu of this.#vus) vu.wakeIdle();
    this.clock.at(this.clock.now() + this.#parts.gracefulStopMs, () => this.kill());
  }

  /** Cancels running iterations. */
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
      if (vu.yielded) continue;
      // A flow that never waits must not block timers and other VUs.
      await vu.idleUntil(now + 1);
      now = this.clock.now();
    }
    this.stats.leave();
  }

  #begin(vu: Vu, dueAt: number): void {
    this.stats.started++;
    vu.begin(dueAt);
    vu.running = true;
  }

  #end(vu: Vu, durationMs: number): void {
    vu.running = false;
    this.stats.end(durationMs);
  }

  /** Returns whether the VU continues. Rethrows any error that is not a `FlowEnd`. */
  #endEarly(vu: Vu, error: unknown, durationMs: number): boolean {
    vu.running = false;
    if (!(error instanceof FlowEnd)) throw error;
    const { scope, counts } = error;
    if (vu.cancelled) this.stats.interrupt();
    else if (counts) this.stats.end(durationMs);
    if (scope === "test") this.#parts.endTest();
    else if (scope === "scenario") this.stop();
    return scope === "iteration";
  }
}
