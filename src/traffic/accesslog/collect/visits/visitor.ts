import { FIELD_INDEX } from "../../read/log_fields.ts";
import type { LogRequest } from "../../read/log_request.ts";
import { NUMBERS } from "../request_cache.ts";
import { mixBits, sampleLevel, stableHash } from "../../profile/sample_level.ts";

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

  /** Returns the visitor number of a request. */
  of(request: LogRequest): number {
    const { bytes, spans: { from, to }, agent } = request;
    const a = stableHash(SEED, bytes, from[CLIENT], to[CLIENT]);
    const b = stableHash(OTHER_SEED, bytes, from[CLIENT], to[CLIENT]);
    if (agent < 0) return combine(a, b, hashAgent(request, SEED), hashAgent(request, OTHER_SEED));
    if (request.generation !== this.#generation) {
      this.#isKnown.fill(0);
      this.#generation = request.generation;
    }
    if (this.#isKnown[agent] === 0) {
      this.#isKnown[agent] = 1;
      this.#first[agent] = hashAgent(request, SEED);
      this.#second[agent] = hashAgent(request, OTHER_SEED);
    }
    return combine(a, b, this.#first[agent], this.#second[agent]);
  }
}

function hashAgent(request: LogRequest, seed: number): number {
  if (!request.has("agent")) return seed;
  const { from, to } = request.spans;
  return stableHash(seed, request.bytes, from[AGENT], to[AGENT]);
}

function combine(a: number, b: number, agentA: number, agentB: number): number {
  const high = mixBits(a ^ Math.imul(agentA, 0x9e3779b1));
  const low = mixBits(b ^ Math.imul(agentB, 0x85ebca6b));
  return (high >>> 0) * 2 ** LOW_BITS + (low >>> (32 - LOW_BITS));
}

/**
 * Returns the sampling level of a visitor. Each level contains half as many visitors as the
 * preceding level.
 */
export function visitorLevel(visitor: number): number {
  return sampleLevel(mixBits(Math.floor(visitor / 2 ** LOW_BITS) | 0), 1);
}
