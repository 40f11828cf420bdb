import type { FunctionRuntime } from "./function_runtime.ts";

/** `now()` function. */
export const now: FunctionRuntime = {
  pure: false,
  call: () => Date.now(),
};
