/** Number of trials of a property, and their seed: equal values produce equal inputs. */
export interface Trials {
  readonly numRuns: number;
  /** Default: different each time. */
  readonly seed?: number;
}
