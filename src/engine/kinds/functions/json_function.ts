import { type FunctionRuntime, spend } from "./function_runtime.ts";

/** `json()` function: serializes a value as JSON. */
export const json: FunctionRuntime = {
  pure: true,
  call([value]) {
    const text = JSON.stringify(value);
    spend(text.length);
    return text;
  },
};
