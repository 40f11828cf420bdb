/** Reasons why a line is malformed, in the order of the checks. */
export const MALFORMED_REASONS = [
  "line-too-long",
  "no-timestamp",
  "no-request",
  "bad-request",
  "bad-status",
] as const;

/**
 * - `line-too-long`: over 1 MiB
 * - `no-timestamp`: no valid ` [dd/Mon/yyyy:HH:MM:SS +zzzz]` after other text
 * - `no-request`: no ` "…"` after the timestamp
 * - `bad-request`: the quoted text is not `METHOD target` or `METHOD target HTTP/x.y`, or is CONNECT
 * - `bad-status`: no ` status bytes` after the request
 */
export type MalformedReason = typeof MALFORMED_REASONS[number];

/** A malformed line: one that contains no valid request. */
export interface MalformedLine {
  readonly reason: MalformedReason;
  /**
   * Byte offset of the start of the line, from 0, counted over all logs in the order in which they are
   * read.
   */
  readonly offset: number;
  /** Line number from 1, counted over all logs in the order in which they are read. */
  readonly line: number;
  /** Beginning of the line, as recorded. */
  readonly text: string;
}
