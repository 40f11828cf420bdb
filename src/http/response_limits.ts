/** Size limits of a response in bytes. A larger response fails with the error kind `too_large`. */
export interface Limits {
  /** Maximum total size of the status line, headers and trailers, including interim responses. */
  readonly headers: number;
  /** Maximum size of a body that is kept. A body that is only counted has no size limit. */
  readonly body: number;
}

/** The default limits: 1 MiB of headers (as in Go and k6), 128 MiB of a kept body. */
export const DEFAULT_LIMITS: Limits = { headers: 1024 * 1024, body: 128 * 1024 * 1024 };
