import { ByteIndex } from "../../../base/byte_index.ts";
import { mixBits, sampleLevel, stableHash } from "../profile/byte_arrays.ts";
import { FIELD_INDEX } from "../read/log_format.ts";
import { type LogRequest, MAX_NUMBER } from "../read/log_request.ts";

export class NumberCache {
  readonly #numbers = new Int32Array(MAX_NUMBER + 1);
  #generation = -1;

  /** Returns the number that was set for a request to the same endpoint, or -1 if none was set. */
  get({ endpoint, generation }: LogRequest): number {
    if (endpoint < 0 || generation !== this.#generation) return -1;
    return this.#numbers[endpoint] - 1;
  }

  /** Caches `number` for the endpoint of a request. */
  set({ endpoint, generation }: LogRequest, number: number): void {
    if (endpoint < 0) return;
    if (generation !== this.#generation) this.clear();
    this.#generation = generation;
    this.#numbers[endpoint] = number + 1;
  }

  clear(): void {
    this.#numbers.fill(0);
  }
}

/** Numbers the endpoints of requests. */
export class EndpointIndex extends ByteIndex {
  readonly #known = new NumberCache();

  of(request: LogRequest): number {
    const known = this.#known.get(request);
    if (known >= 0) return known;
    const { bytes, from, to } = request.key;
    const number = this.number(bytes, from, to);
    this.#known.set(request, number);
    return number;
  }
}

const { client: CLIENT, agent: AGENT } = FIELD_INDEX;
/** Number of low bits of a visitor number, which come from the second of two 32-bit hashes. */
const LOW_BITS = 21;
// `count/assembly/tail.ts` computes the same hashes and repeats these constants.
const SEED = 0x243f6a88;
const OTHER_SEED = 0x85a308d3;
const FACTOR = 0x9e3779b1;
const OTHER_FACTOR = 0x85ebca6b;

export const MAX_VISITOR: number = 2 ** (32 + LOW_BITS) - 1;

/**
 * Returns the visitor number of a request: a 53-bit hash of the client address and the user agent.
 * It is the same in every process, so that visits can continue in another part of a log.
 */
export function visitorOf(request: LogRequest): number {
  if (request.visitor >= 0) return request.visitor;
  return visitorNumber(
    hashVisitor(request, SEED, FACTOR),
    hashVisitor(request, OTHER_SEED, OTHER_FACTOR),
  );
}

/** Returns the visitor number with these two hashes. */
export function visitorNumber(hash: number, other: number): number {
  return (hash >>> 0) * 2 ** LOW_BITS + (other >>> (32 - LOW_BITS));
}

function hashVisitor(request: LogRequest, seed: number, factor: number): number {
  const { bytes, spans: { from, to } } = request;
  const agent = request.has("agent") ? stableHash(seed, bytes, from[AGENT], to[AGENT]) : seed;
  return mixBits(stableHash(seed, bytes, from[CLIENT], to[CLIENT]) ^ Math.imul(agent, factor));
}

/**
 * Returns the sampling level of a visitor. Each level contains half as many visitors as the
 * preceding level.
 */
export function visitorLevel(visitor: number): number {
  return sampleLevel(mixBits(Math.floor(visitor / 2 ** LOW_BITS) | 0), 1);
}
