import type { FunctionVariant } from "./function.ts";

export const lower = {
  parameters: ["text"],
  description: "A text in lower case",
  example: `lower("ÄB")`,
  result: "äb",
} satisfies FunctionVariant;
