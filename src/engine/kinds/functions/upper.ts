import { type FunctionRuntime, toText } from "./function_runtime.ts";

/** `upper()` function. */
export const upper: FunctionRuntime = {
  pure: true,
  call: ([text]) => toText(text).toUpperCase(),
};
