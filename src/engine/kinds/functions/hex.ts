import { type FunctionRuntime, utf8 } from "./function_runtime.ts";

/** `hex()` function: encodes the UTF-8 bytes of text as hexadecimal digits. */
export const hex: FunctionRuntime = {
  pure: true,
  call: ([text]) => utf8(text).toHex(),
};
