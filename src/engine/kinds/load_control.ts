import { controlledVus, isOpenModel, maxVus } from "../../plan/kinds/executors.ts";
import type { Plan } from "../../plan/schema/plan.ts";

/** Change that the user makes to the load during a run. */
export type LoadAction =
  /**
   * Pauses the run: iterations do not start until `resume`. The run still ends at its planned time.
   */
  | { readonly action: "pause" }
  | { readonly action: "resume" }
  /** Multiplies the planned arrival rates by `factor`, which must be from 0.1 to 10. */
  | { readonly action: "rate"; readonly factor: number }
  /** Sets the number of VUs of an `externally-controlled` scenario. */
  | { readonly action: "vus"; readonly scenario: string; readonly vus: number }
  /** Adds tenths of the planned rates and `externally-controlled` VUs, or removes them. */
  | { readonly action: "step"; readonly tenths: number };

export interface RunningLoad {
  readonly set: (load: LoadState) => void;
  readonly elapsedMs: () => number;
}

const MIN_TENTHS = 1;
const MAX_TENTHS = 100;

/** Changes the load of a run in progress. */
export class LoadControl {
  /**
   * Initial and maximum number of VUs of each `externally-controlled` scenario, by scenario name.
   */
  readonly #controlled: ReadonlyMap<string, { readonly vus: number; readonly max: number }>;
  readonly #hasRate: boolean;
  readonly #changes: LoadState[] = [];
  #running: RunningLoad | undefined;

  constructor({ scenarios }: Plan) {
    const all = Object.entries(scenarios);
    this.#controlled = new Map(all.flatMap(([name, scenario]) => {
      const vus = controlledVus(scenario);
      return vus === undefined ? [] : [[name, { vus, max: maxVus(scenario) }]];
    }));
    this.#hasRate = all.some(([, { executor }]) => isOpenModel(executor));
  }

  /** Connects the control to a run that has started. Dispose the result when the run has ended. */
  attach(running: RunningLoad): Disposable {
    this.#running = running;
    return { [Symbol.dispose]: () => this.#running = undefined };
  }

  get state(): LoadState {
    return this.#changes.at(-1) ?? { atMs: 0, paused: false, rate: 1, vus: {} };
  }

  get changes(): readonly LoadState[] {
    return this.#changes;
  }

  /** Changes the load, or returns the reason why that is not possible. */
  apply(action: LoadAction): string | undefined {
    if (this.#running === undefined) return "cannot change the load: no run is in progress";
    const next = this.#next(action);
    if (typeof next === "string") return next;
    if (this.#isCurrent(next)) return undefined;
    const state = { ...this.state, ...next, atMs: this.#running.elapsedMs() };
    this.#changes.push(state);
    this.#running.set(state);
    return undefined;
  }

  #isCurrent(next: Partial<LoadState>): boolean {
    const { paused, rate, vus } = { ...this.state, ...next };
    return paused === this.state.paused && rate === this.state.rate &&
      Object.entries(vus).every(([name, count]) => count === this.#vusOf(name));
  }

  #vusOf(name: string): number | undefined {
    const { vus } = this.state;
    return Object.hasOwn(vus, name) ? vus[name] : this.#controlled.get(name)?.vus;
  }

  #next(action: LoadAction): Partial<LoadState> | string {
    switch (action.action) {
      case "pause":
        return { paused: true };
      case "resume":
        return { paused: false };
      case "rate":
        return this.#hasRate
          ? this.#rate(action.factor)
          : "no scenario in the plan has an arrival rate";
      case "vus":
        return this.#vus(action.scenario, action.vus);
      case "step":
        return this.#step(action.tenths);
    }
  }

  #rate(factor: number): Partial<LoadState> | string {
    if (factor >= MIN_TENTHS / 10 && factor <= MAX_TENTHS / 10) return { rate: factor };
    return `the rate factor must be from ${MIN_TENTHS / 10} to ${MAX_TENTHS / 10}`;
  }

  #vus(name: string, vus: number): Partial<LoadState> | string {
    const limits = this.#controlled.get(name);
    if (limits === undefined) {
      return "the plan has no `externally-controlled` scenario with this name";
    }
    if (!Number.isInteger(vus) || vus < 0 || vus > limits.max) {
      return `the number of VUs must be a whole number from 0 to ${limits.max} (\`max_vus\`)`;
    }
    return { vus: { ...this.state.vus, [name]: vus } };
  }

  #step(tenths: number): Partial<LoadState> | string {
    const { rate, vus } = this.state;
    const stepped = [...this.#controlled].map(([name, { vus: planned, max }]) => {
      const change = tenths * Math.max(1, Math.round(planned / 10));
      const next = this.#vusOf(name)! + change;
      return [name, Math.max(0, Math.min(max, next))] as const;
    });
    if (!this.#hasRate && stepped.length === 0) {
      return "no scenario in the plan has an arrival rate or is `externally-controlled`";
    }
    const next = Math.max(MIN_TENTHS, Math.min(MAX_TENTHS, Math.round(10 * rate) + tenths)) / 10;
    return {
      ...(this.#hasRate && { rate: next }),
      vus: { ...vus, ...Object.fromEntries(stepped) },
    };
  }
}

/** Load that the user has set during a run. It replaces the load of the plan from `atMs` on. */
export interface LoadState {
  /** Time from which this load applies, in ms after the start of the run. */
  readonly atMs: number;
  readonly paused: boolean;
  /** Factor for the planned arrival rates; 1 means as planned. */
  readonly rate: number;
  /** VUs of the `externally-controlled` scenarios for which the user has changed them. */
  readonly vus: Readonly<Record<string, number>>;
}

/** The part of a `LoadState` that an executor needs. */
export interface ScenarioLoad extends Pick<LoadState, "paused" | "rate"> {
  readonly at: number;
  /** Number of VUs of the whole scenario; undefined if it has not been changed during the run. */
  readonly vus: number | undefined;
}
