import type { FunctionVariant } from "./function.ts";

export const base64 = {
  parameters: ["text"],
  description: "The UTF-8 bytes of the text, encoded as base64",
  example: `base64("user:pass")`,
  result: "dXNlcjpwYXNz",
} satisfies FunctionVariant;
