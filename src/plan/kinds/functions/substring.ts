import type { FunctionVariant } from "./function.ts";

export const substring = {
  parameters: ["text", "start", "end?"],
  description:
    "The characters of the text from `start` (counting from 0) up to but not including `end`. Negative positions count from the end",
  example: `substring("abcdef", 1, -2)`,
  result: "bcd",
} satisfies FunctionVariant;
