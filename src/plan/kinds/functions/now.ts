import type { FunctionVariant } from "./function.ts";

export const now = {
  parameters: [],
  description: "The current time in Unix milliseconds",
  example: "now()",
} satisfies FunctionVariant;
