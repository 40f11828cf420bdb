/** How much of an answer is taken in, in bytes; more ends in `too_large`. */
export interface Limits {
  /** Status line, headers and trailers together, interim answers included. */
  readonly headers: number;
  /** A body that is kept; one that is only counted has no limit but the timeout. */
  readonly body: number;
}

/** The limits unless others are given: 64 KiB of headers, 128 MiB of a kept body. */
export const DEFAULT_LIMITS: Limits = { headers: 64 * 1024, body: 128 * 1024 * 1024 };
