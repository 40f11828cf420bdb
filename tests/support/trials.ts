/** How often a property is tried, and with which seed: the same two try the same inputs. */
export interface Trials {
  readonly numRuns: number;
  /** Another one each time when absent. */
  readonly seed?: number;
}
