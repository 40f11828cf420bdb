import type { FunctionVariant } from "./function.ts";

export const upper = {
  parameters: ["text"],
  description: "The text in uppercase",
  example: `upper("äb")`,
  result: "ÄB",
} satisfies FunctionVariant;
