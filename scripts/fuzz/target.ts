import type { Trials } from "../../tests/support/trials.ts";

/** A fuzz target: a kind of untrusted input, with its test. */
export interface Target {
  readonly name: string;
  /** Unit in which inputs are counted, in the plural, such as `lines`. */
  readonly unit: string;
  /** Number of inputs in a complete run (`--share 1`). */
  readonly long: number;
  /** Approximate number of inputs in a trial. */
  readonly perTrial: number;
  /**
   * Runs the trials and returns the number of inputs. If a trial fails, throws the error from
   * fast-check.
   */
  run(trials: Trials): number | Promise<number>;
}
