import type { FunctionVariant } from "./function.ts";

export const pkceChallenge = {
  parameters: ["verifier?"],
  description:
    "The PKCE `code_challenge` (method `S256`) of a verifier (default: `pkce_verifier()`)",
  example: `pkce_challenge("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")`,
  result: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
} satisfies FunctionVariant;
