import { type FunctionRuntime, textOf } from "./function_runtime.ts";

/** `url_encode()` function. */
export const urlEncode: FunctionRuntime = {
  pure: true,
  call: ([text]) => encodeURIComponent(textOf(text)),
};
