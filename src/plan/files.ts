/**
 * Access to the files that a plan names, so that `checkPlan` can check them. Paths are as written in the
 * plan.
 */
export interface PlanFiles {
  /** Reports whether the path, relative to the plan, is a file. */
  exists(path: string): boolean;
  /** Returns the first line of a file without its line end, or undefined if it cannot be read. */
  firstLine(path: string): string | undefined;
}
