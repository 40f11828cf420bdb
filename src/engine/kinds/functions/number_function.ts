import { type FunctionRuntime, numberOf } from "./function_runtime.ts";

/** `number()` function. */
export const number: FunctionRuntime = {
  pure: true,
  call: ([value]) => numberOf(value),
};
