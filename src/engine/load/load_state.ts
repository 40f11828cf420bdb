/** Load that the user has set during a run. It replaces the load of the plan from `atMs` on. */
export interface LoadState {
  /** Time from which this load applies, in ms after the start of the run. */
  readonly atMs: number;
  /** True if no iterations may start. */
  readonly paused: boolean;
  /** Factor for the planned arrival rates; 1 means as planned. */
  readonly rate: number;
  /**
   * Number of VUs by scenario name. Contains only the `externally-controlled` scenarios whose
   * number of VUs the user has changed. Other scenarios run as planned.
   */
  readonly vus: Readonly<Record<string, number>>;
}

/** The part of a `LoadState` that an executor needs. */
export interface ScenarioLoad extends Pick<LoadState, "paused" | "rate"> {
  /** Clock time from which this load applies, in ms. */
  readonly at: number;
  /** Number of VUs of the whole scenario; undefined if it has not been changed during the run. */
  readonly vus: number | undefined;
}
