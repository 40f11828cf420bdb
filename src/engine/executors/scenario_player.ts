import type { Share } from "../../plan/partition.ts";
import type { Clock } from "../clock.ts";
import { type EndScope, FlowEnd } from "../flow/flow_end.ts";
import type { Op } from "../flow/op.ts";
import type { Vu } from "../flow/vu.ts";
import type { ScenarioStats } from "../metrics/scenario_stats.ts";
import type { Executor, Playing } from "./playing.ts";

/** What a scenario is played with. */
export interface ScenarioParts {
  readonly clock: Clock;
  readonly share: Share;
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
export class ScenarioPlayer implements Playing {
  readonly clock: Clock;
  readonly share: Share;
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
    this.stats.started++;
    vu.begin(dueAt);
    vu.playing = true;
    try {
      const waits = this.#parts.flow(vu);
      if (waits) await waits;
      this.stats.end(this.clock.now() - startedAt);
      return true;
    } catch (error) {
      if (!(error instanceof FlowEnd)) throw error;
      return this.#ended(vu, error, this.clock.now() - startedAt);
    } finally {
      vu.playing = false;
    }
  }

  async loop(vu: Vu, more: () => boolean): Promise<void> {
    const { paceMs } = this.#parts;
    let next = -Infinity;
    this.stats.enter();
    while (!this.stopping) {
      if (paceMs > 0) {
        if (this.clock.now() < next) await vu.idleUntil(next);
        next = this.clock.now() + paceMs;
      }
      if (this.stopping || !more()) break;
      if (!await this.iterate(vu)) break;
      // A flow that waits for nothing must not keep everything else from its turn.
      if (!vu.yielded) await vu.idleUntil(this.clock.now() + 1);
    }
    this.stats.leave();
  }

  /** Gives whether the VU plays on. */
  #ended(vu: Vu, { scope, counts }: FlowEnd, durationMs: number): boolean {
    if (vu.cancelled) this.stats.interrupt();
    else if (counts) this.stats.end(durationMs);
    this.#end(scope);
    return scope === "iteration";
  }

  #end(scope: EndScope): void {
    if (scope === "test") this.#parts.endTest();
    else if (scope === "scenario") this.stop();
  }
}
