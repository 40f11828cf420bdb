import { LF } from "../../../base/ascii.ts";
import { SLACK } from "../read/text/line_bounds.ts";

/**
 * The lines in a buffer, with the offsets of each line's start and LF. `SLACK` bytes after the last
 * line are readable.
 */
export interface Lines {
  readonly bytes: Uint8Array;
  readonly lines: readonly { readonly start: number; readonly end: number }[];
}

/**
 * Copies `head`. Returns the copy and the offsets of its first lines, at most `max`. The last line
 * may be incomplete.
 */
export function firstLines(head: Uint8Array, max = Infinity): Lines {
  const bytes = new Uint8Array(head.length + 1 + SLACK);
  bytes.set(head);
  bytes[head.length] = LF;
  const lines: { start: number; end: number }[] = [];
  for (let start = 0; start < head.length && lines.length < max;) {
    const end = bytes.indexOf(LF, start);
    lines.push({ start, end });
    start = end + 1;
  }
  return { bytes, lines };
}
