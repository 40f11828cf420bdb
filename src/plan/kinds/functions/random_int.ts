import { isNumber } from "../../../base/exact_number.ts";
import { type FunctionVariant, rangeError } from "./function.ts";

export const randomInt = {
  parameters: ["min", "max"],
  description: "A random whole number from `min` to `max`, both included",
  example: "random_int(1, 6)",
  check: (args) => {
    const isWhole = args.every((arg) =>
      arg === undefined || isNumber(arg) && Number.isSafeInteger(Number(arg))
    );
    if (!isWhole) return "expected two whole numbers";
    return rangeError(args[0], args[1]) &&
      "expected two whole numbers, the first not greater than the second";
  },
} satisfies FunctionVariant;
