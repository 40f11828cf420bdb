import type { CallOutcome } from "./call_outcome.ts";

/**
 * Responses in which a target enforced a rate limit, and how long a calibration waited because of
 * them.
 */
export interface RateLimitReport {
  /** Number of responses with status 429 or 503. */
  readonly responses: number;
  /** Status codes of the responses that enforced a rate limit, each once: 429, 503 or both. */
  readonly statuses: readonly number[];
  /** Zero-based indexes of the calls that got status 429 or 503, in ascending order. */
  readonly calls: readonly number[];
  /** Number of responses with status 429 or 503 to requests that open WebSockets. */
  readonly sockets: number;
  /** Total waiting time in milliseconds. */
  readonly waitedMs: number;
  /** Longest wait before a request was sent again, in milliseconds. */
  readonly longestMs: number;
}

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

/** The part of an outcome that shows whether the server enforced a rate limit. */
export type LimitedOutcome = Partial<Pick<CallOutcome, "rateLimit" | "error" | "index">>;

/** Maximum number of times that one request waits. */
const MOST_WAITS = 2;
/**
 * Total waiting time, in milliseconds, during which every response has status 429 or 503. If the
 * next response has this status too, the calibration ends.
 */
const LONGEST_MS = 60_000;

/** Limits the total time that a calibration waits, for all reasons together. */
export class Patience {
  readonly limitMs: number;
  /** Total time waited so far, in milliseconds. */
  #waitedMs = 0;
  #isExhausted = false;

  constructor(limitMs: number = LONGEST_MS) {
    this.limitMs = limitMs;
  }

  /** True after a wait was refused. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  /** Time that is left to wait, in milliseconds. */
  get leftMs(): number {
    return this.limitMs - this.#waitedMs;
  }

  /** Counts a wait. Returns false if it would exceed the limit, so that it must not take place. */
  take(ms: number): boolean {
    if (ms > this.leftMs) {
      this.#isExhausted = true;
      return false;
    }
    this.#waitedMs += ms;
    return true;
  }
}

/**
 * Limits how long a calibration waits because of a rate limit or an overload (status 429 or 503).
 * Counts these waits. One request waits at most twice. If no other response arrives during a minute
 * of waiting, the calibration ends.
 */
export class RateLimitWaits {
  /**
   * Total waiting time, in milliseconds, since the last response that did not enforce a rate limit.
   */
  #ms = 0;
  #overload: Overload | undefined;
  #responses = 0;
  #sockets = 0;
  #waitedMs = 0;
  #longestMs = 0;
  readonly #patience: Patience;
  /** Status code of the last response that enforced a rate limit. */
  #lastStatus = 0;
  readonly #statuses = new Set<number>();
  readonly #calls = new Set<number>();

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** The reason why the calibration must end. Undefined while it may continue. */
  get overload(): Overload | undefined {
    return this.#overload;
  }

  /** Returns the responses that enforced a rate limit, or undefined if there were none. */
  report(): RateLimitReport | undefined {
    if (this.#responses === 0) return undefined;
    return {
      responses: this.#responses,
      statuses: [...this.#statuses].sort((a, b) => a - b),
      calls: [...this.#calls].sort((a, b) => a - b),
      sockets: this.#sockets,
      waitedMs: this.#waitedMs,
      longestMs: this.#longestMs,
    };
  }

  /**
   * Adds the outcome of an attempt. `status` is undefined if there was no response. The index of
   * the outcome is undefined if the request opens a WebSocket.
   */
  add({ rateLimit, error, index }: LimitedOutcome, status: number | undefined): void {
    if (error !== undefined) return;
    if (rateLimit === undefined) this.#ms = 0;
    else if (status !== undefined) {
      this.#responses++;
      this.#statuses.add(status);
      this.#lastStatus = status;
      if (index === undefined) this.#sockets++;
      else this.#calls.add(index);
      if (this.#ms >= LONGEST_MS) {
        this.#overload = { status, seconds: Math.round(this.#ms / 1_000) };
      }
    }
  }

  /**
   * Returns the time to wait before a request is sent again, in milliseconds, or undefined if it
   * must not wait. `waits` is the number of times that the request has waited. `pause` is the
   * recorded pause before the request, to try first, in milliseconds. If the patience ends while
   * only such responses arrive, the calibration ends.
   */
  next({ rateLimit }: LimitedOutcome, waits: number, pause?: number): number | undefined {
    if (rateLimit === undefined || waits >= MOST_WAITS || this.#overload !== undefined) {
      return undefined;
    }
    const ms = waits === 0 && pause !== undefined ? pause : rateLimit * 1_000;
    if (!this.#patience.take(ms)) {
      if (this.#ms > 0) {
        this.#overload = { status: this.#lastStatus, seconds: Math.round(this.#ms / 1_000) };
      }
      return undefined;
    }
    this.#ms += ms;
    this.#waitedMs += ms;
    this.#longestMs = Math.max(this.#longestMs, ms);
    return ms;
  }
}
