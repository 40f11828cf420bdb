import type { LogRequest } from "../read/log_request.ts";

/**
 * Size of the range of endpoint numbers and user agent numbers, which are from 0 to 65,535; see
 * `LogRequest`.
 */
export const NUMBERS: number = 1 << 16;
const KEEPS = 1;
const DROPS = 2;

/** Tests a request. */
export type Predicate = (request: LogRequest) => boolean;

/**
 * Caches a predicate that depends only on the endpoint of a request, or only on its user agent, by
 * `number`. Calls `test` for requests without a number.
 */
export function cacheByNumber(number: "endpoint" | "agent", test: Predicate): Predicate {
  const results = new Uint8Array(NUMBERS);
  let generation = -1;
  return (request) => {
    const of = request[number];
    if (of < 0) return test(request);
    if (request.generation !== generation) {
      results.fill(0);
      generation = request.generation;
    }
    const known = results[of];
    if (known !== 0) return known === KEEPS;
    const isKept = test(request);
    results[of] = isKept ? KEEPS : DROPS;
    return isKept;
  };
}

/**
 * Caches a predicate that depends only on the path of a request. Caches results by endpoint. Does
 * not cache them if an id in the path was replaced, because such an endpoint has several paths.
 */
export function cacheByPath(test: Predicate): Predicate {
  const cached = cacheByNumber("endpoint", test);
  return (request) => request.key.route.hasId ? test(request) : cached(request);
}

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
