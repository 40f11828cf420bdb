import type { FunctionRuntime } from "./function_runtime.ts";

/**
 * `uuid()` function: returns a random UUID. With a name, as in `uuid(NAME)`, returns the same UUID
 * throughout an iteration.
 */
export const uuid: FunctionRuntime = {
  pure: false,
  call: ([name], vu) => name === undefined ? vu.random.uuid() : vu.namedUuid(String(name)),
};
