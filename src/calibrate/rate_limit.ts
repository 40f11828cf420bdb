import { formatMs } from "../base/format.ts";
import type { ComparedResponse } from "../correlation/compared_response.ts";
import type { HttpResponse } from "../http/sender.ts";
import { headerValue } from "../traffic/har/recording.ts";

/** Responses in which a target enforced a rate limit, and the waits because of them. */
export interface RateLimitReport {
  /** Number of responses with status 429 or 503. */
  readonly responses: number;
  /** Status codes of these responses, each once: 429, 503 or both. */
  readonly statuses: readonly number[];
  /** Zero-based indexes of the calls that got these responses, in ascending order. */
  readonly calls: readonly number[];
  readonly sockets: number;
  readonly waitedMs: number;
  readonly longestMs: number;
}

/** A target that still enforces a rate limit, or is still overloaded, after waiting. */
export interface Overload {
  /** Status code of the last response: 429 or 503. */
  readonly status: number;
  /** Time, in whole seconds, that the calibration waited before this response. */
  readonly seconds: number;
}

/** The part of an outcome that shows whether the server enforced a rate limit. */
export interface LimitedOutcome {
  /** Seconds to wait before the request is sent again. Absent if there is no rate limit. */
  readonly rateLimit?: number;
  readonly error?: string;
  readonly index?: number;
}

const MOST_WAITS = 2;
/**
 * Total waiting time, in milliseconds, during which every response has status 429 or 503. If the
 * next response has this status too, the calibration ends.
 */
const LONGEST_MS = 60_000;

/** What waiting requires. */
export interface Waiting {
  readonly sleep: (ms: number) => Promise<void>;
  /** Returns the time in Unix milliseconds. */
  readonly now: () => number;
  /** Receives a line about each wait, for the progress output. */
  readonly announce: (text: string) => void;
}

/** Limits the total time that a calibration waits, for all reasons together, and waits. */
export class Patience {
  readonly limitMs: number;
  readonly #waiting: Waiting;
  #waitedMs = 0;
  #isExhausted = false;

  constructor(waiting: Waiting, limitMs: number = LONGEST_MS) {
    this.#waiting = waiting;
    this.limitMs = limitMs;
  }

  /** True after a wait was refused. */
  get isExhausted(): boolean {
    return this.#isExhausted;
  }

  /** Counts a wait. Returns false if it would exceed the limit, so that it must not take place. */
  take(ms: number): boolean {
    if (this.#waitedMs + ms > this.limitMs) {
      this.#isExhausted = true;
      return false;
    }
    this.#waitedMs += ms;
    return true;
  }

  /** Waits for a time that `take` allowed. `what` names the call, and `why` the reason. */
  async wait(ms: number, what: string, why: string): Promise<void> {
    this.#waiting.announce(`  ${what}: waiting ${formatMs(ms)} (${why})`);
    await this.#waiting.sleep(ms);
  }
}

const LIMITED = "the server reported a rate limit or an overload";

/**
 * Waits because of a rate limit or an overload (status 429 or 503), and counts these waits. One
 * request waits at most twice. If no other response arrives during a minute of waiting, the
 * calibration ends.
 */
export class RateLimitWaits {
  readonly #patience: Patience;
  readonly #now: () => number;
  /** Waiting time, in milliseconds, since the last response that did not enforce a rate limit. */
  #ms = 0;
  #overload: Overload | undefined;
  #responses = 0;
  #sockets = 0;
  #waitedMs = 0;
  #longestMs = 0;
  #lastStatus = 0;
  readonly #statuses = new Set<number>();
  readonly #calls = new Set<number>();

  constructor(patience: Patience, now: () => number) {
    this.#patience = patience;
    this.#now = now;
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
      if (this.#ms >= LONGEST_MS) this.#end();
    }
  }

  /**
   * Waits before a request is sent again. `waits` is the number of times that the request has
   * waited. `pause` is the recorded pause before the request, to try first, in milliseconds.
   * Returns the waiting time, or undefined if the request must not be sent again. If the patience
   * ends while only such responses arrive, the calibration ends.
   */
  async wait(
    { rateLimit }: LimitedOutcome,
    what: string,
    waits: number,
    pause?: number,
  ): Promise<number | undefined> {
    if (rateLimit === undefined || waits >= MOST_WAITS || this.#overload !== undefined) {
      return undefined;
    }
    const ms = waits === 0 && pause !== undefined ? pause : rateLimit * 1_000;
    if (!this.#patience.take(ms)) {
      if (this.#ms > 0) this.#end();
      return undefined;
    }
    this.#ms += ms;
    this.#waitedMs += ms;
    this.#longestMs = Math.max(this.#longestMs, ms);
    await this.#patience.wait(ms, what, LIMITED);
    return ms;
  }

  /**
   * Waits if the response to a request that opens a WebSocket has status 429 or 503. Returns true
   * if the request must be sent again. `isOver` reports whether the calibration has ended.
   */
  async waitToOpen(
    { status, headers: pairs }: Pick<HttpResponse, "status" | "headers">,
    waits: number,
    isOver: () => boolean,
  ): Promise<boolean> {
    const headers = pairs.map(([name, value]) => ({ name, value }));
    const rateLimit = secondsToWait(undefined, { status, headers }, this.#now());
    if (status === 101) this.add({}, status);
    if (rateLimit === undefined || isOver()) return false;
    this.add({ rateLimit }, status);
    return await this.wait({ rateLimit }, "WebSocket", waits) !== undefined && !isOver();
  }

  #end(): void {
    this.#overload = { status: this.#lastStatus, seconds: Math.round(this.#ms / 1_000) };
  }
}

/** Maximum time to wait because of a rate limit or an overload, in seconds. */
const LONGEST_WAIT = 120;
/** Time to wait, in seconds, if the server does not specify one. */
const USUAL_WAIT = 16;

/**
 * Returns the seconds to wait if the server enforces a rate limit or is temporarily overloaded.
 * Returns undefined otherwise. `now` is the time in Unix milliseconds.
 */
export function secondsToWait(
  recorded: Pick<ComparedResponse, "status"> | undefined,
  live: Pick<ComparedResponse, "status" | "headers">,
  now: number,
): number | undefined {
  if (live.status !== 429 && live.status !== 503) return undefined;
  if (recorded?.status === live.status) return undefined;
  const stated = headerValue(live.headers, "retry-after") ?? "";
  const seconds = /^\d+$/.test(stated.trim())
    ? Number(stated)
    : Math.ceil((Date.parse(stated) - now) / 1_000);
  return Math.min(LONGEST_WAIT, seconds >= 0 ? seconds : USUAL_WAIT);
}
