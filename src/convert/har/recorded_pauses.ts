/**
 * Returns the pause before each call in whole milliseconds, at most `maxMs`. A pause lasts from the end
 * of all earlier calls to the start of the call. It is 0 for the first call and for calls that overlap
 * an earlier one.
 */
export function pausesBefore(
  calls: readonly { readonly startedAt: number; readonly endedAt: number }[],
  maxMs: number,
): number[] {
  let end = Infinity;
  return calls.map(({ startedAt, endedAt }) => {
    const gap = Math.min(Math.max(0, Math.round(startedAt - end)), maxMs);
    end = end === Infinity ? endedAt : Math.max(end, endedAt);
    return gap;
  });
}

/** Formats a pause as a plan's duration, without rounding: `350ms`, `1.25s`, `90s`. */
export function pauseText(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
}
