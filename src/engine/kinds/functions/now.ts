import type { FunctionRuntime } from "./function_runtime.ts";

/** `now()` function: returns the current time in Unix milliseconds. */
export const now: FunctionRuntime = {
  pure: false,
  call: () => Date.now(),
};
