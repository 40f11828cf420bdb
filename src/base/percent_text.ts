/**
 * Formats `part / whole` as a percentage with one decimal, such as `22.7%`. Returns `100.0%` only if
 * `part` is at least `whole`, and `0.0%` if `whole` is 0.
 */
export function percentText(part: number, whole: number): string {
  const share = whole === 0 ? 0 : Math.round((part / whole) * 1000) / 10;
  return `${(part < whole ? Math.min(share, 99.9) : share).toFixed(1)}%`;
}
