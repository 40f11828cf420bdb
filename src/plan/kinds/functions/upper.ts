import type { FunctionVariant } from "./function.ts";

export const upper = {
  parameters: ["text"],
  description: "A text in upper case",
  example: `upper("äb")`,
  result: "ÄB",
} satisfies FunctionVariant;
