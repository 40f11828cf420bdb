/** States of a job or a request that succeeded, in lowercase and without separators. */
export const SUCCEEDED: readonly string[] = [
  ...["done", "complete", "completed", "finished", "success", "successful", "succeeded"],
];

/** States of a job or a request that failed, in lowercase and without separators. */
export const FAILED: readonly string[] = [
  ...["failed", "failure", "error", "errored", "aborted", "rejected", "declined", "denied"],
  ...["expired", "timeout", "timedout", "crashed", "killed", "invalid"],
];

/** Converts a state to the form used in `SUCCEEDED` and `FAILED`: lowercase, without separators. */
export function stateWord(text: string): string {
  return text.toLowerCase().replace(/[ _-]/g, "");
}
