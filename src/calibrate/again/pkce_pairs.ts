import { createHash } from "node:crypto";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";

/** A recorded PKCE pair: `challenge` is the hash of `verifier` (RFC 7636, method S256). */
export interface PkcePair {
  readonly verifier: string;
  readonly challenge: string;
}

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;
const CHALLENGE = /^[A-Za-z0-9_-]{43}$/;

/**
 * Finds the PKCE pairs that the requests of a session send. Recognizes them by their hash, not by
 * their names.
 */
export function findPkcePairs(calls: readonly RecordedCall[]): PkcePair[] {
  const values = new Set<string>();
  for (const { fields } of calls) for (const { value } of fields) values.add(value);
  const challenges = new Set([...values].filter((value) => CHALLENGE.test(value)));
  if (challenges.size === 0) return [];
  return [...values].filter((value) => VERIFIER.test(value)).flatMap((verifier) => {
    const challenge = createHash("sha256").update(verifier).digest("base64url");
    return challenges.has(challenge) ? [{ verifier, challenge }] : [];
  });
}
