import { encodingError, type FunctionVariant } from "./function.ts";

export const sha256 = {
  parameters: ["text", "encoding?"],
  description: 'The SHA-256 hash of the text as "hex" (default), "base64" or "base64url"',
  example: `sha256("abc", "base64url")`,
  result: "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0",
  check: ([, encoding]) => encodingError(encoding),
} satisfies FunctionVariant;
