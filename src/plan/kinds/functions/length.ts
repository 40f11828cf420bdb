import type { FunctionVariant } from "./function.ts";

export const length = {
  parameters: ["value"],
  description: "The number of characters in the text, or of items in the list",
  example: `length("abc")`,
  result: "3",
} satisfies FunctionVariant;
