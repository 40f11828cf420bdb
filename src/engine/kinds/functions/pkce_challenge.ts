import { hash } from "node:crypto";
import type { FunctionRuntime } from "./function_runtime.ts";
import { toText } from "./function_runtime.ts";
import { verifierOf } from "./pkce_verifier.ts";

/** `pkce_challenge()` function: computes the SHA-256 hash of a verifier, in base64url. */
export const pkceChallenge: FunctionRuntime = {
  pure: false,
  call: ([verifier], vu) =>
    hash("sha256", verifier === undefined ? verifierOf(vu) : toText(verifier), "base64url"),
};
