import { type FunctionRuntime, toText } from "./function_runtime.ts";

/** `url_encode()` function: percent-encodes text. */
export const urlEncode: FunctionRuntime = {
  pure: true,
  call: ([text]) => encodeURIComponent(toText(text)),
};
