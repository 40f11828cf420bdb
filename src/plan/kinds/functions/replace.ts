import type { FunctionVariant } from "./function.ts";

export const replace = {
  parameters: ["text", "from", "to"],
  description: "The text, with each `from` replaced by `to`",
  example: `replace("a-b-c", "-", "+")`,
  result: "a+b+c",
  check: ([, from]) => from === "" ? "the text to replace is empty" : undefined,
} satisfies FunctionVariant;
