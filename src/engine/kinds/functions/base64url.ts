import { type FunctionRuntime, utf8 } from "./function_runtime.ts";

/** `base64url()` function: encodes the UTF-8 bytes of text in base64url, without padding. */
export const base64url: FunctionRuntime = {
  pure: true,
  call: ([text]) => utf8(text).toBase64({ alphabet: "base64url", omitPadding: true }),
};
