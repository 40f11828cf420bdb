import { type FunctionRuntime, toText } from "./function_runtime.ts";

/** `lower()` function: converts text to lower case. */
export const lower: FunctionRuntime = {
  pure: true,
  call: ([text]) => toText(text).toLowerCase(),
};
