import type { CallOutcome } from "./call_outcome.ts";

/**
 * A target that still enforces a rate limit, or is still overloaded, after a calibration has
 * waited.
 */
export interface Overload {
  /** Status code of the last response: 429 or 503. */
  readonly status: number;
  /** Time, in whole seconds, that the calibration waited before this response. */
  readonly seconds: number;
}

/** Maximum number of times that one call waits. */
const MOST_WAITS = 2;
/**
 * Maximum total time to wait, in milliseconds, while every response has status 429 or 503. The
 * calibration then ends.
 */
const LONGEST_MS = 60_000;

/**
 * Limits how long a calibration waits because of a rate limit or an overload (status 429 or 503).
 * One call waits at most twice. If no other response arrives for a minute of waiting, the
 * calibration ends.
 */
export class RateLimitWaits {
  /**
   * Total waiting time, in milliseconds, since the last response that did not enforce a rate limit.
   */
  #ms = 0;
  #overload: Overload | undefined;

  /** The reason why the calibration must end. Undefined while it may continue. */
  get overload(): Overload | undefined {
    return this.#overload;
  }

  /** Adds the outcome of an attempt. `status` is undefined if there was no response. */
  add({ rateLimit, error }: CallOutcome, status: number | undefined): void {
    if (error !== undefined) return;
    if (rateLimit === undefined) this.#ms = 0;
    else if (this.#ms >= LONGEST_MS && status !== undefined) {
      this.#overload = { status, seconds: Math.round(this.#ms / 1_000) };
    }
  }

  /**
   * Returns the time to wait before a call is sent again, in milliseconds, or undefined if the call
   * must not wait. `waits` is the number of times that the call has waited.
   */
  next({ rateLimit }: CallOutcome, waits: number): number | undefined {
    if (rateLimit === undefined || waits >= MOST_WAITS || this.#overload !== undefined) {
      return undefined;
    }
    const ms = rateLimit * 1_000;
    this.#ms += ms;
    return ms;
  }
}
