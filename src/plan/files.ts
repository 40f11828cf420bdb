/** What a check of a plan may see of the files that the plan names. Paths are as the plan writes them. */
export interface PlanFiles {
  /** True when the path, taken relative to the plan, is a file. */
  exists(path: string): boolean;
  /** The first line of a file without its line end, or undefined when it cannot be read. */
  firstLine(path: string): string | undefined;
}
