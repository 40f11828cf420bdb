import { type FunctionRuntime, integerOf, textOf } from "./function_runtime.ts";

/** `substring()` function. */
export const substring: FunctionRuntime = {
  pure: true,
  call([value, start, end]) {
    const text = textOf(value).slice(
      integerOf(start),
      end === undefined ? undefined : integerOf(end),
    );
    return text.toWellFormed();
  },
};
