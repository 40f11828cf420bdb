import type { FunctionVariant } from "./function.ts";

export const randomChoice = {
  parameters: ["value…"],
  description:
    "One of the arguments, chosen at random. If there is only one argument, it must be a list, and one of its items is chosen",
  example: `random_choice("de", "fr", "it")`,
} satisfies FunctionVariant;
