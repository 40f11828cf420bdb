import { nodeCrypto } from "../../../base/node_builtins.ts";
import type { FunctionRuntime } from "./function_runtime.ts";
import { toText } from "./function_runtime.ts";
import { verifierOf } from "./pkce_verifier.ts";

/** `pkce_challenge()` function: computes the SHA-256 hash of a verifier, in base64url. */
export const pkceChallenge: FunctionRuntime = {
  pure: false,
  load: nodeCrypto,
  call: ([verifier], vu) =>
    nodeCrypto().createHash("sha256").update(
      verifier === undefined ? verifierOf(vu) : toText(verifier),
    )
      .digest("base64url"),
};
