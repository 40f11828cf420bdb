import type { Shard } from "../plan/partition.ts";
import type { Executor, ExecutorContext } from "./kinds/executors.ts";
import type { LoadState, ScenarioLoad } from "./kinds/load_control.ts";
import type { ScenarioStats } from "./metrics/recorder.ts";
import type { ScenarioEnd } from "./summary/codes.ts";
import type { Clock } from "./vu/clock.ts";
import { FlowEnd } from "./vu/flow_end.ts";
import type { Op, Place, Vu } from "./vu/vu.ts";

/** VUs that start before others get a turn: each can open a connection for a millisecond. */
const VUS_PER_TURN = 20;

export interface ScenarioParts
  extends Pick<ExecutorContext, "clock" | "shard" | "stats" | "seed" | "readFile"> {
  readonly name: string;
  readonly executor: Executor;
  readonly flow: Op;
  /** Delay in ms after the start of the run, or after the end of the scenario before. */
  readonly delayMs: number;
  readonly latestStartMs: number;
  readonly gracefulStopMs: number;
  /**
   * Minimum time in ms between the starts of consecutive iterations of a VU. 0 means no minimum.
   */
  readonly paceMs: number;
  readonly openVu: (k: number) => Vu;
  /** Ends the whole run. Called if an assertion with `abort_test` fails. */
  readonly endTest: () => void;
}

export class ScenarioRunner implements ExecutorContext {
  readonly clock: Clock;
  readonly shard: Shard;
  readonly stats: ScenarioStats;
  readonly seed: number;
  readonly readFile: (path: string) => Uint8Array;
  startsAt: number = Infinity;
  stopping = false;
  /** Reason why the scenario ends. Undefined until then. */
  #ended: ScenarioEnd | undefined;
  #paused = false;
  readonly #parts: ScenarioParts;
  readonly #vus: Vu[] = [];
  readonly #parked = new Set<Vu>();
  /** Earliest start of each VU's next iteration. A VU may leave the scenario and return. */
  readonly #nextStarts = new Map<Vu, number>();
  #starts = 0;
  #turn: Promise<void> | undefined;
  readonly #onStop: (() => void)[] = [];
  readonly #onLoad: ((load: ScenarioLoad) => void)[] = [];
  readonly #run: () => Promise<unknown>;

  constructor(parts: ScenarioParts) {
    this.#parts = parts;
    ({ clock: this.clock, shard: this.shard, stats: this.stats } = parts);
    ({ seed: this.seed, readFile: this.readFile } = parts);
    this.#run = parts.executor.prepare(this);
  }

  get plannedMs(): number {
    return this.#parts.latestStartMs + this.#parts.executor.durationMs;
  }

  get endsMs(): number {
    return this.plannedMs + this.#parts.gracefulStopMs;
  }

  /** Runs the scenario after the start of the run, or the end of the scenario before: `from`. */
  async run(from: number): Promise<void> {
    const { delayMs, executor } = this.#parts;
    if (!this.stopping) {
      this.startsAt = from + delayMs;
      await new Promise<void>((resolve) => {
        this.clock.at(this.startsAt, resolve);
        this.onStop(resolve);
      });
    }
    if (!this.stopping) {
      const cancel = this.clock.at(this.startsAt + executor.durationMs, () => this.stop("time"));
      await this.#run();
      cancel();
    }
    this.stopping = true;
    this.stats.finish(this.#ended ?? "finished");
    for (const { session } of this.#vus) session.close();
  }

  /** Stops starting iterations, and cancels running ones after the graceful stop. */
  stop(end: ScenarioEnd = "stopped"): void {
    if (this.stopping) return;
    this.stopping = true;
    this.#ended ??= end;
    const elapsed = this.clock.now() - this.startsAt;
    this.stats.setScheduled(Math.max(0, Math.min(elapsed, this.#parts.executor.durationMs)));
    for (const listener of this.#onStop) listener();
    for (const vu of this.#vus) vu.wakeIdle();
    this.clock.at(this.clock.now() + this.#parts.gracefulStopMs, () => this.kill());
  }

  kill(): void {
    this.stop();
    for (const vu of this.#vus) if (vu.running) vu.cancel();
  }

  onStop(listener: () => void): void {
    this.#onStop.push(listener);
  }

  onLoad(listener: (load: ScenarioLoad) => void): void {
    this.#onLoad.push(listener);
  }

  /** Changes the load. `runStartsAt` is the start of the run in clock time. */
  setLoad({ atMs, paused, rate, vus }: LoadState, runStartsAt: number): void {
    this.#paused = paused;
    const { name } = this.#parts;
    const own = Object.hasOwn(vus, name) ? vus[name] : undefined;
    const load = { at: runStartsAt + atMs, paused, rate, vus: own };
    for (const listener of this.#onLoad) listener(load);
    if (!paused) { for (const vu of this.#parked) vu.wakeIdle(); }
  }

  openVu(): Vu {
    const vu = this.#parts.openVu(this.#vus.length);
    this.#vus.push(vu);
    this.stats.counts.max_vus = this.#vus.length;
    return vu;
  }

  async iterate(vu: Vu, dueAt: number, place: Place): Promise<boolean> {
    const startedAt = this.clock.now();
    try {
      const waits = this.#start(vu, dueAt, startedAt, place);
      if (waits) await waits;
      this.#end(vu, startedAt);
      return true;
    } catch (error) {
      return !Number.isNaN(this.#endEarly(vu, error, startedAt));
    }
  }

  async loop(
    vu: Vu,
    more: () => boolean,
    isWanted = () => true,
    dueAt = this.startsAt,
  ): Promise<void> {
    const { paceMs } = this.#parts;
    const turn = this.#nextTurn();
    if (turn) await turn;
    let now = this.clock.now();
    if (isWanted()) this.stats.startVu(now - dueAt, !this.stopping || vu.iteration >= 0);
    this.stats.enter();
    while (!this.stopping && isWanted()) {
      if (this.#paused) {
        this.stats.leave();
        this.#parked.add(vu);
        await vu.idleUntil(Infinity);
        this.#parked.delete(vu);
        this.stats.enter();
        now = this.clock.now();
        continue;
      }
      if (paceMs > 0) {
        const next = this.#nextStarts.get(vu) ?? now;
        if (now < next) {
          await vu.idleUntil(next);
          now = this.clock.now();
          // The run may have been paused during the wait, or the VU woken early.
          continue;
        }
        this.#nextStarts.set(vu, now + paceMs);
      }
      if (!more()) break;
      const { waits } = vu;
      // Does not call `iterate`, because another async function costs 0.1 µs per iteration.
      // bench: scripts/bench/engine.ts, plain
      try {
        const flow = this.#start(vu, NaN, now);
        if (flow) await flow;
        now = this.#end(vu, now);
      } catch (error) {
        now = this.#endEarly(vu, error, now);
        if (Number.isNaN(now)) break;
      }
      if (vu.waits !== waits) continue;
      // Prevents a flow that never waits from blocking timers and other VUs.
      await vu.idleUntil(now + 1);
      now = this.clock.now();
    }
    this.stats.leave();
  }

  /**
   * Returns a promise that resolves when the next VU may start, or undefined if it may start now.
   * If many VUs started in one turn of the event loop, they would delay responses and the end of
   * the schedule.
   */
  #nextTurn(): Promise<void> | undefined {
    if (this.#starts > 0 && this.#starts % VUS_PER_TURN === 0) {
      const yieldToOthers = () =>
        new Promise<void>((resolve) => void this.clock.at(this.clock.now(), resolve));
      const last = this.#turn ?? Promise.resolve();
      this.#turn = last.then(() => this.stopping ? undefined : yieldToOthers());
    }
    this.#starts++;
    return this.#turn;
  }

  /**
   * Starts an iteration. In an open model, `dueAt` is its scheduled time, and `place` its position
   * in the schedule; otherwise, they are NaN and undefined. `startedAt` is the current clock time.
   * Returns a promise if the flow waits, otherwise undefined. Throws FlowEnd if the iteration ends
   * early.
   */
  #start(vu: Vu, dueAt: number, startedAt: number, place?: Place): Promise<void> | void {
    this.stats.started++;
    vu.begin(dueAt, place);
    return this.#parts.flow(vu, startedAt);
  }

  #end(vu: Vu, startedAt: number): number {
    vu.end();
    const now = this.clock.now();
    this.stats.end(now - startedAt);
    return now;
  }

  /** Ends an iteration. Returns the time, or NaN if the VU ends. Rethrows other errors. */
  #endEarly(vu: Vu, error: unknown, startedAt: number): number {
    vu.end();
    if (!(error instanceof FlowEnd)) throw error;
    const { scope, counts } = error;
    if (!counts) this.#ended ??= "data";
    const now = this.clock.now();
    if (vu.canceled) this.stats.interrupt();
    else if (counts) this.stats.end(now - startedAt);
    if (scope === "test") this.#parts.endTest();
    else if (scope === "scenario") this.stop("aborted");
    return scope === "iteration" ? now : NaN;
  }
}
