import { type FunctionRuntime, toNumber } from "./function_runtime.ts";

/** `number()` function: converts a value to a number. */
export const number: FunctionRuntime = {
  pure: true,
  call: ([value]) => toNumber(value),
};
