import type { LogRequest } from "../read/log_request.ts";

/**
 * Size of the range of endpoint numbers and user agent numbers, which are from 0 to 65,535; see
 * `LogRequest`.
 */
export const NUMBERS: number = 1 << 16;

/** Caches a number for each endpoint or user agent. */
export class NumberCache {
  readonly #numbers = new Int32Array(NUMBERS);
  readonly #of: "endpoint" | "agent";
  #generation = -1;

  /** Creates an empty cache. */
  constructor(of: "endpoint" | "agent") {
    this.#of = of;
  }

  /** Returns the number that was set for a request with the same endpoint or agent, or -1. */
  get(request: LogRequest): number {
    const of = request[this.#of];
    if (of < 0 || request.generation !== this.#generation) return -1;
    return this.#numbers[of] - 1;
  }

  /** Sets the number for the endpoint or agent of a request. */
  set(request: LogRequest, number: number): void {
    const of = request[this.#of];
    if (of < 0) return;
    if (request.generation !== this.#generation) this.clear();
    this.#generation = request.generation;
    this.#numbers[of] = number + 1;
  }

  /** Removes all numbers. */
  clear(): void {
    this.#numbers.fill(0);
  }
}
