/** Why a line could not be read, in the order in which it is looked into. */
export const MALFORMED_REASONS = [
  "line-too-long",
  "no-timestamp",
  "no-request",
  "bad-request",
  "bad-status",
] as const;

/**
 * - `line-too-long`: over 1 MiB
 * - `no-timestamp`: no ` [dd/Mon/yyyy:HH:MM:SS +zzzz]` with something before it, or none that exists
 * - `no-request`: no ` "…"` behind the timestamp
 * - `bad-request`: what is quoted is not `METHOD target` or `METHOD target HTTP/x.y`, or is CONNECT
 * - `bad-status`: no ` status bytes` behind the request
 */
export type MalformedReason = typeof MALFORMED_REASONS[number];

/** A line that could not be read. */
export interface MalformedLine {
  readonly reason: MalformedReason;
  /** Byte at which it starts, from 0, in all the logs read one behind the other. */
  readonly offset: number;
  /** From 1, in all the logs read one behind the other. */
  readonly line: number;
  /** How it begins, as recorded. */
  readonly text: string;
}
