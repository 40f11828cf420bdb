import type { Summary } from "../../engine/summary/summary.ts";

/** Exit codes of all commands. docs/exit-codes.md describes them. */
export const EXIT = {
  /** The command succeeded. */
  OK: 0,
  /** An input is invalid, an output could not be written, or a run failed. */
  FAILED: 1,
  /** The command line is invalid. Nothing was done. */
  USAGE: 2,
  /**
   * `--strict` is given, and the result requires a decision by the user. All outputs were written.
   */
  STRICT: 3,
  /** The run did less than planned, and `--allow incomplete` is not given. */
  INCOMPLETE: 4,
  /**
   * A threshold failed, an assertion ended the run, or a condition of `report --fail-on` is met.
   */
  THRESHOLDS: 99,
  /** The command was interrupted, for example with Ctrl-C. */
  INTERRUPTED: 130,
} as const;

/** Returns the exit code for the verdict of a run that was not interrupted. */
export function verdictCode({ passed, failure, incomplete, lossy_outputs }: Summary): number {
  if (failure !== undefined) return EXIT.FAILED;
  // A threshold that failed with less load than planned is a result; the reports contain both.
  if (passed === false) return EXIT.THRESHOLDS;
  if (incomplete !== undefined) return EXIT.INCOMPLETE;
  return lossy_outputs === undefined ? EXIT.OK : EXIT.FAILED;
}
