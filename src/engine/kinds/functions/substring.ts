import { type FunctionRuntime, toInteger, toText } from "./function_runtime.ts";

/** `substring()` function: returns part of a string. Positions are in UTF-16 code units. */
export const substring: FunctionRuntime = {
  pure: true,
  call([value, start, end]) {
    const text = toText(value).slice(
      toInteger(start),
      end === undefined ? undefined : toInteger(end),
    );
    return text.toWellFormed();
  },
};
