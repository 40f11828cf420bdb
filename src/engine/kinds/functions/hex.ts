import { type FunctionRuntime, utf8 } from "./function_runtime.ts";

/** `hex()` function. */
export const hex: FunctionRuntime = {
  pure: true,
  call: ([text]) => utf8(text).toHex(),
};
