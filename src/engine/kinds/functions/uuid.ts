import type { FunctionRuntime } from "./function_runtime.ts";

/** `uuid()` function. Its argument is the name in `uuid(NAME)`. */
export const uuid: FunctionRuntime = {
  pure: false,
  call: ([name], vu) => name === undefined ? vu.random.uuid() : vu.namedUuid(String(name)),
};
