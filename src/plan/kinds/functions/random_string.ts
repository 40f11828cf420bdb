import type { FunctionVariant } from "./function.ts";

export const randomString = {
  parameters: ["length", "characters?"],
  description:
    "Random text of the given length, made up of `[A-Za-z0-9]` or of the given characters",
  example: `random_string(8, "0123456789")`,
} satisfies FunctionVariant;
