import type { Shard } from "../../plan/partition.ts";
import type { Clock } from "../clock.ts";
import { FlowEnd } from "../flow/flow_end.ts";
import type { Op } from "../flow/op.ts";
import type { Vu } from "../flow/vu.ts";
import type { ScenarioStats } from "../metrics/scenario_stats.ts";
import type { Executor, ExecutorContext } from "./executor.ts";

/** What a scenario is played with. */
export interface ScenarioParts {
  readonly clock: Clock;
  readonly share: Shard;
  readonly stats: ScenarioStats;
  readonly executor: Executor;
  readonly flow: Op;
  /** When it starts, after the run's start. */
  readonly startMs: number;
  readonly gracefulStopMs: number;
  /** Least time from one start of a VU's iterations to the next. */
  readonly paceMs: number;
  /** Makes the k-th VU (from 0) of this share. */
  readonly openVu: (k: number) => Vu;
  /** An assertion ends the whole run. */
  readonly endTest: () => void;
}

/** Plays one scenario from its start to the end of its last iteration. */
export class ScenarioRunner implements ExecutorContext {
  readonly clock: Clock;
  readonly share: Shard;
  readonly stats: ScenarioStats;
  startsAt = 0;
  stopping = false;
  readonly #parts: ScenarioParts;
  readonly #vus: Vu[] = [];
  readonly #onStop: (() => void)[] = [];
  readonly #play: () => Promise<unknown>;

  constructor(parts: ScenarioParts) {
    this.#parts = parts;
    ({ clock: this.clock, share: this.share, stats: this.stats } = parts);
    this.#play = parts.executor.prepare(this);
  }

  /** From the run's start to the end of the schedule. */
  get plannedMs(): number {
    return this.#parts.startMs + this.#parts.executor.durationMs;
  }

  /** From the run's start to the end of the graceful stop. */
  get endsMs(): number {
    return this.plannedMs + this.#parts.gracefulStopMs;
  }

  /** Plays it; the run starts at `runStartsAt`. Rejects only for a defect of ours. */
  async play(runStartsAt: number): Promise<void> {
    const { startMs, executor } = this.#parts;
    this.startsAt = runStartsAt + startMs;
    await new Promise<void>((resolve) => {
      this.clock.at(this.startsAt, resolve);
      this.onStop(resolve);
    });
    if (!this.stopping) {
      const cancel = this.clock.at(this.startsAt + executor.durationMs, () => this.stop());
      await this.#play();
      cancel();
    }
    this.stopping = true;
    for (const { session } of this.#vus) session.close();
  }

  /** Starts nothing new; what is in flight gets its graceful stop. */
  stop(): void {
    if (this.stopping) return;
    this.stopping = true;
    const played = this.clock.now() - this.startsAt;
    this.stats.scheduledMs = Math.max(0, Math.min(played, this.#parts.executor.durationMs));
    for (const act of this.#onStop) act();
    for (const vu of this.#vus) vu.wakeIdle();
    this.clock.at(this.clock.now() + this.#parts.gracefulStopMs, () => this.kill());
  }

  /** Cuts off what is in flight. */
  kill(): void {
    this.stop();
    for (const vu of this.#vus) if (vu.playing) vu.cancel();
  }

  onStop(act: () => void): void {
    this.#onStop.push(act);
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
      // As `iterate`, which would cost another promise and another look at the clock.
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
      // A flow that waits for nothing must not keep everything else from its turn.
      await vu.idleUntil(now + 1);
      now = this.clock.now();
    }
    this.stats.leave();
  }

  #begin(vu: Vu, dueAt: number): void {
    this.stats.started++;
    vu.begin(dueAt);
    vu.playing = true;
  }

  #end(vu: Vu, durationMs: number): void {
    vu.playing = false;
    this.stats.end(durationMs);
  }

  /** Gives whether the VU plays on; throws what is no end of a flow. */
  #endEarly(vu: Vu, error: unknown, durationMs: number): boolean {
    vu.playing = false;
    if (!(error instanceof FlowEnd)) throw error;
    const { scope, counts } = error;
    if (vu.cancelled) this.stats.interrupt();
    else if (counts) this.stats.end(durationMs);
    if (scope === "test") this.#parts.endTest();
    else if (scope === "scenario") this.stop();
    return scope === "iteration";
  }
}
