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
  /**
   * A threshold failed, an assertion ended the run, or a condition of `report --fail-on` is met.
   */
  THRESHOLDS: 99,
  /** The command was interrupted, for example with Ctrl-C. */
  INTERRUPTED: 130,
} as const;
