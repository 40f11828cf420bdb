import { type FunctionRuntime, toText } from "./function_runtime.ts";

/** `upper()` function: converts text to upper case. */
export const upper: FunctionRuntime = {
  pure: true,
  call: ([text]) => toText(text).toUpperCase(),
};
