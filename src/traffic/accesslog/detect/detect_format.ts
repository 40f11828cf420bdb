import { FORMATS } from "../formats/formats.ts";
import type { LogFormat } from "../read/log_format.ts";
import { findFormat } from "./match_lines.ts";

/**
 * Returns the format in `formats` with the most matching lines in `head`, the beginning of a log.
 * In case of a tie, returns the format that finds the most statuses and clients, or else the first
 * one. Tests only the first 100 lines, with and without a wrapper such as Docker's. If `isWhole` is
 * false, `head` may end within a line, so its last line is not tested unless it is the only one.
 * Returns undefined if no line matches any format.
 */
export function detectFormat(
  head: Uint8Array,
  formats: readonly LogFormat[] = FORMATS,
  isWhole = false,
): LogFormat | undefined {
  return findFormat(head, formats, isWhole).format;
}
