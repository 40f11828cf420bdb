import { type FunctionVariant, rangeError } from "./function.ts";

export const randomFloat = {
  parameters: ["min", "max"],
  description: "A random number from `min` (included) to `max` (not included)",
  example: "random_float(0, 1)",
  check: ([min, max]) => rangeError(min, max),
} satisfies FunctionVariant;
