import type { FunctionVariant } from "./function.ts";

export const randomChoice = {
  parameters: ["value…"],
  description:
    "One of the arguments, chosen at random. A single argument must be a list, of which one item is chosen",
  example: `random_choice("de", "fr", "it")`,
} satisfies FunctionVariant;
