import type { Trials } from "../../tests/support/trials.ts";

/** One kind of untrusted input. */
export interface Target {
  readonly name: string;
  /** What is counted. */
  readonly unit: string;
  /** How many of them the long run has. */
  readonly long: number;
  /** How many of them one trial makes, about. */
  readonly perTrial: number;
  /** Tries so many inputs; gives how many units they were. Throws what fast-check throws at the first that fails. */
  run(trials: Trials): number | Promise<number>;
}
