import type { LogRequest } from "../read/log_request.ts";

/**
 * Number of possible endpoint numbers, and also of possible user agent numbers. Both range from 0
 * to 65,535; see `LogRequest`.
 */
export const NUMBERS: number = 1 << 16;

/** Caches a number for each endpoint, or for each user agent. */
export class NumberCache {
  readonly #numbers = new Int32Array(NUMBERS);
  readonly #of: "endpoint" | "agent";
  #generation = -1;

  /**
   * Creates an empty cache. `of` states whether the cached numbers belong to endpoints or user
   * agents.
   */
  constructor(of: "endpoint" | "agent") {
    this.#of = of;
  }

  /**
   * Returns the number that was set for a request with the same endpoint or user agent, or -1 if
   * none was set.
   */
  get(request: LogRequest): number {
    const of = request[this.#of];
    if (of < 0 || request.generation !== this.#generation) return -1;
    return this.#numbers[of] - 1;
  }

  /** Caches `number` for the endpoint or user agent of a request. */
  set(request: LogRequest, number: number): void {
    const of = request[this.#of];
    if (of < 0) return;
    if (request.generation !== this.#generation) this.clear();
    this.#generation = request.generation;
    this.#numbers[of] = number + 1;
  }

  /** Removes all numbers from the cache. */
  clear(): void {
    this.#numbers.fill(0);
  }
}
