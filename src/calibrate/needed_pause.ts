/** A recorded pause without which a call failed. */
export interface NeededPause {
  /** Zero-based index of the call after the pause. */
  readonly index: number;
  /** Length of the pause in whole milliseconds. */
  readonly ms: number;
  /** Differences between the recorded response and the response without the pause. */
  readonly differences: readonly string[];
}
