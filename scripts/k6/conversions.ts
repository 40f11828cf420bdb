/**
 * Options with which `convert` creates a plan from a recording or a log, for the comparison with
 * k6.
 */
export interface Conversion {
  readonly options: readonly string[];
  /** Whether both tools send the requests in the same order. */
  readonly isOrdered: boolean;
}

/**
 * Returns the options of each `convert` run to test on a file. `folder` is where `convert` writes
 * files other than the plan, such as the one for `--ids`.
 */
export function conversions(file: string, folder: string): readonly Conversion[] {
  const ordered = (...options: string[]): Conversion => ({ options, isOrdered: true });
  if (file.endsWith(".har")) {
    return [
      ordered(),
      ordered("--think-time", "--checks", "response", "--group", "--secrets"),
      { options: ["--parallel", "--keep-static", "--checks"], isOrdered: false },
    ];
  }
  return [
    ordered("--top", "50"),
    ordered("--top", "50", "--query", "--ids", `${folder}/ids.csv`, "--route", "auto"),
    ordered("--top", "50", "--query"),
    ordered("--top", "50", "--shape", "--busiest", "10m", "--query", "--rate", "--no-static"),
  ];
}

/** Returns the options for a table, with file names instead of paths. */
export function shownOptions({ options }: Conversion): string {
  return options.map((option) => option.replace(/^.*\//, "")).join(" ");
}
