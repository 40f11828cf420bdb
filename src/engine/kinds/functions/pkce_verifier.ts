import type { Vu } from "../../vu/vu.ts";
import type { FunctionRuntime } from "./function_runtime.ts";

/**
 * Names of the UUIDs that make up a verifier. Plans cannot use these names, because the names
 * contain a space.
 */
const PARTS = ["pkce 1", "pkce 2"] as const;

/** `pkce_verifier()` function: returns the PKCE verifier of the iteration. */
export const pkceVerifier: FunctionRuntime = { pure: false, call: (_, vu) => verifierOf(vu) };

/** Returns the PKCE verifier of an iteration (RFC 7636): 64 hexadecimal digits. */
export function verifierOf(vu: Pick<Vu, "namedUuid">): string {
  return PARTS.map((name) => vu.namedUuid(name).replaceAll("-", "")).join("");
}
