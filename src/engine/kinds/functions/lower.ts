import { type FunctionRuntime, toText } from "./function_runtime.ts";

/** `lower()` function. */
export const lower: FunctionRuntime = {
  pure: true,
  call: ([text]) => toText(text).toLowerCase(),
};
