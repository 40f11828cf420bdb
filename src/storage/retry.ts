/**
 * Number of consecutive failed requests, none of which returned any bytes, after which a transfer
 * fails.
 */
export const MAX_FAILURES = 5;
/**
 * Number of consecutive failed requests after which a transfer fails if the server has never
 * responded.
 */
export const MAX_UNANSWERED = 2;
const FIRST_PAUSE_MS = 200;

/**
 * Returns the pause before the next attempt, in milliseconds. `failures` is the number of
 * consecutive failures so far, at least 1. The pause doubles with each failure.
 */
export function pauseMs(failures: number): number {
  return FIRST_PAUSE_MS * 2 ** failures;
}

/** Waits for `ms` milliseconds. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
