import { type FunctionRuntime, utf8 } from "./function_runtime.ts";

/** `base64()` function: encodes the UTF-8 bytes of text in base64. */
export const base64: FunctionRuntime = {
  pure: true,
  call: ([text]) => utf8(text).toBase64(),
};
