/** A range of a string, in UTF-16 code units, and the text to show instead. */
export interface ShownRange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * Returns `text` with each range replaced by its `ShownRange.text`. The ranges must be in ascending
 * order and must not overlap.
 */
export function withShown(text: string, ranges: readonly ShownRange[]): string {
  let result = "";
  let done = 0;
  for (const { start, end, text: shown } of ranges) {
    result += text.slice(done, start) + shown;
    done = end;
  }
  return result + text.slice(done);
}

/**
 * Sorts ranges by start and removes overlaps: the range that starts first wins, then the longest.
 * Sorts `found` in place.
 */
export function withoutOverlaps<T extends Pick<ShownRange, "start" | "end">>(found: T[]): T[] {
  if (found.length < 2) return found;
  found.sort((a, b) => a.start - b.start || b.end - a.end);
  let done = 0;
  return found.filter((one) => one.start >= done && (done = one.end, true));
}
