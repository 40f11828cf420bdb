import { encodingError, type FunctionVariant } from "./function.ts";

export const hmacSha256 = {
  parameters: ["key", "text", "encoding?"],
  description:
    'The HMAC-SHA-256 of the text with the key, as "hex" (default), "base64" or "base64url"',
  example: `hmac_sha256("Jefe", "what do ya want for nothing?")`,
  result: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
  check: ([, , encoding]) => encodingError(encoding),
} satisfies FunctionVariant;
