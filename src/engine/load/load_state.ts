/** Load that a person has set during a run. It replaces the load of the plan from `atMs` on. */
export interface LoadState {
  /** Time at which the state begins, in ms after the start of the run. */
  readonly atMs: number;
  /** True if no iterations may start. */
  readonly paused: boolean;
  /** Factor for the planned arrival rates; 1 means as planned. */
  readonly rate: number;
  /** Numbers of VUs of `externally-controlled` scenarios, by name. Others run as planned. */
  readonly vus: Readonly<Record<string, number>>;
}

/** The part of a `LoadState` that an executor needs. */
export interface ScenarioLoad extends Pick<LoadState, "paused" | "rate"> {
  /** Time at which the state begins, in ms on the clock. */
  readonly at: number;
  /** Number of VUs of the whole scenario; undefined if nobody has changed it. */
  readonly vus: number | undefined;
}
