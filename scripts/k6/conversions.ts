/** Options of `convert` that create a plan for the comparison from a recording or a log. */
export interface Conversion {
  readonly options: readonly string[];
  /** Whether both tools send the requests in the same order. */
  readonly isOrdered: boolean;
}

/**
 * Returns the conversions of a file. `folder` is the folder for files that `convert` writes, such
 * as the ids of a log.
 */
export function conversions(file: string, folder: string): readonly Conversion[] {
  const ordered = (...options: string[]): Conversion => ({ options, isOrdered: true });
  if (file.endsWith(".har")) {
    return [
      ordered("--correlate", "all"),
      ordered("--correlate", "all", "--think-time", "--checks", "response", "--group", "--secrets"),
      { options: ["--parallel", "--keep-static", "--checks"], isOrdered: false },
    ];
  }
  return [
    ordered("--top", "50"),
    ordered("--top", "50", "--query", "--ids", `${folder}/ids.csv`, "--route", "auto"),
    ordered("--top", "50", "--journeys", "--query"),
    ordered("--top", "50", "--shape", "--busiest", "10m", "--query", "--rate", "--no-static"),
  ];
}

/** Returns the options for a table, with file names instead of paths. */
export function shownOptions({ options }: Conversion): string {
  return options.map((option) => option.replace(/^.*\//, "")).join(" ");
}
