/** Upper limits of a response, in bytes; a larger one fails with `too_large`. */
export interface Limits {
  /** Status line, headers and trailers together, interim responses included. */
  readonly headers: number;
  /** A body that is kept; a body that is only counted has no limit except the timeout. */
  readonly body: number;
}

/** The default limits: 1 MiB of headers (as in Go and k6), 128 MiB of a kept body. */
export const DEFAULT_LIMITS: Limits = { headers: 1024 * 1024, body: 128 * 1024 * 1024 };
