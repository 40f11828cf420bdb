import type { FunctionVariant } from "./function.ts";

export const pkceVerifier = {
  parameters: [],
  description: "A PKCE `code_verifier` that is new in each iteration",
  example: "pkce_verifier()",
} satisfies FunctionVariant;
