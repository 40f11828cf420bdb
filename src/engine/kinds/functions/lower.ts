import { type FunctionRuntime, textOf } from "./function_runtime.ts";

/** `lower()` function. */
export const lower: FunctionRuntime = {
  pure: true,
  call: ([text]) => textOf(text).toLowerCase(),
};
