import type { FunctionVariant } from "./function.ts";

export const base64url = {
  parameters: ["text"],
  description: "The UTF-8 bytes of the text, encoded as base64url without padding",
  example: `base64url("a?b>")`,
  result: "YT9iPg",
} satisfies FunctionVariant;
