/** Reasons why a line is malformed, in the order in which they are checked. */
export const MALFORMED_REASONS = [
  "line-too-long",
  "no-timestamp",
  "no-request",
  "bad-request",
  "bad-status",
] as const;

/**
 * Reason why a line is malformed:
 *
 * - `line-too-long`: the line is over 1 MiB
 * - `no-timestamp`: the line contains no valid timestamp in the notation of its format
 * - `no-request`: the line does not match the layout of its format or lacks the request
 * - `bad-request`: the request is not `METHOD target` or `METHOD target HTTP/x.y`, or is CONNECT or
 *   PRI
 * - `bad-status`: the status is neither three digits nor `-`, `0` or `-1`, or the size after it is
 *   invalid
 */
export type MalformedReason = typeof MALFORMED_REASONS[number];

/** A malformed log line: one that contains no valid request. */
export interface MalformedLine {
  readonly reason: MalformedReason;
  /**
   * Zero-based byte offset of the start of the line, counted across all logs in the order in which
   * they are read.
   */
  readonly offset: number;
  /** One-based line number across all logs in the order in which they are read. */
  readonly line: number;
  /** Beginning of the line, as written in the log, at most 4 KiB of UTF-8. */
  readonly text: string;
  /** Name of the log format that the line matches; absent if it matches none or is not known yet. */
  readonly format?: string;
}
