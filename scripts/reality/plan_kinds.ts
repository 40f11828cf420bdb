/** A way to make a plan from a recording. */
export interface PlanKind {
  /** Name of the plan kind in file names and on the command line. */
  readonly name: string;
  /** Name of the plan kind in docs/REALITY.md, in Markdown. */
  readonly title: string;
  /** True to repair the plan with `calibrate` on a fresh application. */
  readonly isCalibrated: boolean;
}

/** The kinds of plans to measure for each application. */
export const PLAN_KINDS: readonly PlanKind[] = [
  { name: "all", title: "converted", isCalibrated: false },
  { name: "calibrated", title: "calibrated", isCalibrated: true },
];
