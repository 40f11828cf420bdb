import { type FunctionRuntime, textOf } from "./function_runtime.ts";

/** `upper()` function. */
export const upper: FunctionRuntime = {
  pure: true,
  call: ([text]) => textOf(text).toUpperCase(),
};
