import { mixBits, sampleLevel, stableHash } from "../profile/grow_array.ts";
import { FIELD_INDEX } from "../read/line_splitter.ts";
import type { LogRequest } from "../read/log_request.ts";

/**
 * Number of possible endpoint numbers, and also of possible user agent numbers. Both range from 0
 * to 65,535; see `LogRequest`.
 */
const NUMBERS: number = 1 << 16;

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

const { client: CLIENT, agent: AGENT } = FIELD_INDEX;
/** Number of low bits of a visitor number, which come from the second of two 32-bit hashes. */
const LOW_BITS = 21;
const SEED = 0x243f6a88;
const OTHER_SEED = 0x85a308d3;

/** Maximum visitor number. */
export const MAX_VISITOR: number = 2 ** (32 + LOW_BITS) - 1;

/**
 * Computes the visitor number of a request: a 53-bit hash of the client address and the user agent.
 * The number is the same in every process, so that visits can continue in another part of a log.
 */
export class VisitorHash {
  /** The first of two hashes of each user agent, indexed by the user agent's number. */
  readonly #first = new Int32Array(NUMBERS);
  readonly #second = new Int32Array(NUMBERS);
  readonly #isKnown = new Uint8Array(NUMBERS);
  #generation = -1;

  /** Returns the visitor number of a request, or -1 if its sampling level is below `level`. */
  of(request: LogRequest, level: number): number {
    const { bytes, spans: { from, to } } = request;
    const high = mixBits(
      stableHash(SEED, bytes, from[CLIENT], to[CLIENT]) ^
        Math.imul(this.#agentHash(request, this.#first, SEED), 0x9e3779b1),
    );
    if (levelOf(high) < level) return -1;
    const low = mixBits(
      stableHash(OTHER_SEED, bytes, from[CLIENT], to[CLIENT]) ^
        Math.imul(this.#agentHash(request, this.#second, OTHER_SEED), 0x85ebca6b),
    );
    return (high >>> 0) * 2 ** LOW_BITS + (low >>> (32 - LOW_BITS));
  }

  #agentHash(request: LogRequest, known: Int32Array, seed: number): number {
    const { agent } = request;
    if (agent < 0) return hashAgent(request, seed);
    if (request.generation !== this.#generation) {
      this.#isKnown.fill(0);
      this.#generation = request.generation;
    }
    if (this.#isKnown[agent] === 0) {
      this.#isKnown[agent] = 1;
      this.#first[agent] = hashAgent(request, SEED);
      this.#second[agent] = hashAgent(request, OTHER_SEED);
    }
    return known[agent];
  }
}

function hashAgent(request: LogRequest, seed: number): number {
  if (!request.has("agent")) return seed;
  const { from, to } = request.spans;
  return stableHash(seed, request.bytes, from[AGENT], to[AGENT]);
}

/**
 * Returns the sampling level of a visitor. Each level contains half as many visitors as the
 * preceding level.
 */
export function visitorLevel(visitor: number): number {
  return levelOf(Math.floor(visitor / 2 ** LOW_BITS) | 0);
}

function levelOf(high: number): number {
  return sampleLevel(mixBits(high), 1);
}
