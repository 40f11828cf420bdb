/** Number of trials of a property test, and the seed that determines their inputs. */
export interface Trials {
  readonly numRuns: number;
  /** Seed of the inputs (default: different for each test run). */
  readonly seed?: number;
}
