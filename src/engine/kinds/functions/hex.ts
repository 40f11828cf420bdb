import { type FunctionRuntime, utf8 } from "./function_runtime.ts";

/** `hex()` function: encodes text as UTF-8 in hexadecimal digits. */
export const hex: FunctionRuntime = {
  pure: true,
  call: ([text]) => utf8(text).toHex(),
};
