import type { FunctionVariant } from "./function.ts";

export const length = {
  parameters: ["value"],
  description: "The number of characters of a text, or of items of a list",
  example: `length("abc")`,
  result: "3",
} satisfies FunctionVariant;
