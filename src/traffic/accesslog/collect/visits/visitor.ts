import type { LogRequest } from "../../read/log_request.ts";
import { mixBits, sampleLevel } from "../sample_level.ts";

/** Number of low bits of a visitor that come from the second half of its hash. */
const LOW_BITS = 21;

/** Maximum value of a visitor. */
export const MAX_VISITOR: number = 2 ** (32 + LOW_BITS) - 1;

/**
 * Returns the visitor of a request: a 53-bit hash of the client address and the user agent. It is the
 * same in every process, so that visits can be continued in another part of a log.
 */
export function visitorHash(request: LogRequest): number {
  let [a, b] = [0x243f6a88, 0x85a308d3];
  for (const field of ["client", "agent"] as const) {
    const bytes = request.has(field) ? request.raw(field) : [];
    for (let i = 0; i < bytes.length; i++) {
      a = Math.imul(a ^ bytes[i], 0x9e3779b1);
      b = Math.imul(b ^ bytes[i] ^ (a >>> 15), 0x85ebca6b);
    }
    a ^= 0xff;
  }
  a ^= a >>> 16;
  b ^= b >>> 13;
  return (a >>> 0) * 2 ** LOW_BITS + (b >>> (32 - LOW_BITS));
}

/** Returns the sampling level of a visitor. Each level has half the visitors of the preceding one. */
export function visitorLevel(visitor: number): number {
  return sampleLevel(mixBits(Math.floor(visitor / 2 ** LOW_BITS) | 0), 1);
}
