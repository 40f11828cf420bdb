import { formatMs } from "../base/format.ts";
import type { ComparedResponse } from "../correlation/compared_response.ts";
import { headerValue } from "../traffic/har/recording.ts";
import type { CallOutcome } from "./attempts.ts";

/** Responses in which a target enforced a rate limit, and the waits because of them. */
export interface RateLimitReport {
  readonly responses: number;
  readonly statuses: readonly number[];
  /** Zero-based indexes of the calls that got these responses, in ascending order. */
  readonly calls: readonly number[];
  readonly waitedMs: number;
  readonly longestMs: number;
}

/** A target that still enforces a rate limit, or is still overloaded, after waiting. */
export interface Overload {
  readonly status: number;
  /** Time, in whole seconds, that the calibration waited before this response. */
  readonly seconds: number;
}

export interface WaitOptions {
  readonly sleep: (ms: number) => Promise<void>;
  /** Maximum total waiting time of the calibration, in milliseconds (default: one minute). */
  readonly patience?: number;
  /** Called with a line of text before each round and before each wait during a round. */
  readonly onRound?: (name: string) => void;
}

const MOST_WAITS = 2;
/**
 * Total waiting time, in milliseconds, during which every response has status 429 or 503. If the
 * next response has this status too, the calibration ends.
 */
const LONGEST_MS = 60_000;

/**
 * Waits, and limits the total time of all waits. Because of a rate limit or an overload (status 429
 * or 503), one request waits at most twice. If no other response arrives during a minute of
 * waiting, the calibration ends.
 */
export class Waits {
  readonly limitMs: number;
  /** True after a wait was refused. */
  isExhausted = false;
  /** The reason why the calibration must end. */
  overload: Overload | undefined;
  readonly #options: WaitOptions;
  #takenMs = 0;
  /** Waiting time, in milliseconds, since the last response that did not enforce a rate limit. */
  #limitedMs = 0;
  readonly #limited: { readonly status: number; readonly index: number }[] = [];
  readonly #waited: number[] = [];

  constructor(options: WaitOptions) {
    this.#options = options;
    this.limitMs = options.patience ?? LONGEST_MS;
  }

  /** Counts a wait. Returns false if it would exceed the limit, so that it must not take place. */
  take(ms: number): boolean {
    if (this.#takenMs + ms > this.limitMs) {
      this.isExhausted = true;
      return false;
    }
    this.#takenMs += ms;
    return true;
  }

  async wait(ms: number, index: number, why: string): Promise<void> {
    this.#options.onRound?.(`  call ${index + 1}: waiting ${formatMs(ms)} (${why})`);
    await this.#options.sleep(ms);
  }

  add({ rateLimit, error, index }: CallOutcome, status: number | undefined): void {
    if (error !== undefined) return;
    if (rateLimit === undefined) this.#limitedMs = 0;
    else if (status !== undefined) {
      this.#limited.push({ status, index });
      if (this.#limitedMs >= LONGEST_MS) this.#end();
    }
  }

  /**
   * Waits before a request is sent again because of a rate limit. `waits` is the number of times
   * that the request has waited. `pause` is the recorded pause before the request, to try first, in
   * milliseconds. Returns the waiting time, or undefined if the request must not be sent again. If
   * the limit ends while only such responses arrive, the calibration ends.
   */
  async waitForLimit(
    { rateLimit, index }: CallOutcome,
    waits: number,
    pause?: number,
  ): Promise<number | undefined> {
    if (rateLimit === undefined || waits >= MOST_WAITS || this.overload !== undefined) {
      return undefined;
    }
    const ms = waits === 0 && pause !== undefined ? pause : rateLimit * 1_000;
    if (!this.take(ms)) {
      if (this.#limitedMs > 0) this.#end();
      return undefined;
    }
    this.#limitedMs += ms;
    this.#waited.push(ms);
    await this.wait(ms, index, "the server reported a rate limit or an overload");
    return ms;
  }

  get rateLimit(): RateLimitReport | undefined {
    if (this.#limited.length === 0) return undefined;
    const distinct = (numbers: readonly number[]) => [...new Set(numbers)].sort((a, b) => a - b);
    return {
      responses: this.#limited.length,
      statuses: distinct(this.#limited.map(({ status }) => status)),
      calls: distinct(this.#limited.map(({ index }) => index)),
      waitedMs: this.#waited.reduce((sum, ms) => sum + ms, 0),
      longestMs: Math.max(0, ...this.#waited),
    };
  }

  #end(): void {
    const { status } = this.#limited.at(-1)!;
    this.overload = { status, seconds: Math.round(this.#limitedMs / 1_000) };
  }
}

/** Maximum time to wait because of a rate limit or an overload, in seconds. */
const LONGEST_WAIT = 120;
const USUAL_WAIT = 16;

/** Returns the seconds to wait if the server limits the rate. `now` is in Unix milliseconds. */
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
