import type { FunctionVariant } from "./function.ts";

export const number = {
  parameters: ["value"],
  description:
    "The value as a number that keeps all its digits. Text that is not a JSON number is an error",
  example: `number("9007199254740993") + 1`,
  result: "9007199254740994",
} satisfies FunctionVariant;
