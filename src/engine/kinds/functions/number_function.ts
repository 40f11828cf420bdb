import { type FunctionRuntime, toNumber } from "./function_runtime.ts";

/** `number()` function. */
export const number: FunctionRuntime = {
  pure: true,
  call: ([value]) => toNumber(value),
};
