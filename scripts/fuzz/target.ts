import type { Trials } from "../../tests/support/trials.ts";

/** A kind of untrusted input, with its test. */
export interface Target {
  readonly name: string;
  /** Plural name of the counted inputs, such as `lines`. */
  readonly unit: string;
  /** Number of inputs in the long run. */
  readonly long: number;
  /** Approximate number of inputs in a trial. */
  readonly perTrial: number;
  /** Runs the trials and returns the number of inputs. Throws the error of fast-check if one fails. */
  run(trials: Trials): number | Promise<number>;
}
