import { createHash } from "node:crypto";
import type { Vu } from "../vu/vu.ts";

/** Names of the UUIDs that make up a verifier. No plan can use them, because they contain a space. */
const PARTS = ["pkce 1", "pkce 2"] as const;

/** Returns the PKCE verifier of an iteration (RFC 7636): 64 hexadecimal digits. */
export function pkceVerifier(vu: Pick<Vu, "namedUuid">): string {
  return PARTS.map((name) => vu.namedUuid(name).replaceAll("-", "")).join("");
}

/** Returns the PKCE challenge for a verifier, with the method `S256`: its SHA-256 hash in base64url. */
export function pkceChallenge(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}
