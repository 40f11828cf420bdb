import type { FunctionVariant } from "./function.ts";

export const lower = {
  parameters: ["text"],
  description: "The text in lowercase",
  example: `lower("ÄB")`,
  result: "äb",
} satisfies FunctionVariant;
