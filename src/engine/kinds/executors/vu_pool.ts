import type { Cancel } from "../../clock/clock.ts";
import type { Vu } from "../../vu/vu.ts";
import type { ExecutorContext } from "./executor.ts";

/** State of a VU in a pool. */
interface PooledVu {
  readonly vu: Vu;
  wanted: boolean;
  running: Promise<void> | undefined;
  cut: Cancel | undefined;
}

/** Pool of VUs for a closed model in which the number of running VUs changes during the run. */
export class VuPool {
  readonly #context: ExecutorContext;
  readonly #graceMs: number;
  readonly #vus: PooledVu[] = [];

  /**
   * Creates an empty pool. `graceMs` is the time in ms that a VU has to finish its iteration after
   * the number of VUs has been reduced.
   */
  constructor(context: ExecutorContext, graceMs: number) {
    this.#context = context;
    this.#graceMs = graceMs;
  }

  /**
   * Sets the number of running VUs. If the number decreases, the most recently added VUs stop
   * first. `dueAt` is the planned time of the change, in clock time.
   */
  set(vus: number, dueAt: number): void {
    if (this.#context.stopping) return;
    while (this.#vus.length < vus) this.#vus.push(this.#open());
    this.#vus.forEach((state, i) => i < vus ? this.#want(state, dueAt) : this.#release(state));
  }

  /** Waits until every VU has finished its last iteration. */
  async ended(): Promise<void> {
    await Promise.all(this.#vus.map(({ running }) => running));
  }

  #open(): PooledVu {
    return { vu: this.#context.openVu(), wanted: false, running: undefined, cut: undefined };
  }

  #want(state: PooledVu, dueAt: number): void {
    state.cut?.();
    state.cut = undefined;
    state.wanted = true;
    const isWanted = () => state.wanted;
    state.running ??= this.#context.loop(state.vu, () => true, isWanted, dueAt).finally(() => {
      state.running = undefined;
    });
  }

  #release(state: PooledVu): void {
    if (!state.wanted) return;
    state.wanted = false;
    if (state.running === undefined) return;
    state.vu.wakeIdle();
    const { clock } = this.#context;
    state.cut = clock.at(clock.now() + this.#graceMs, () => state.vu.cancel());
  }
}
