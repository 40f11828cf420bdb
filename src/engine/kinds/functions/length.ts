import { TemplateFault } from "../../vu/flow_end.ts";
import { type FunctionRuntime, shown } from "./function_runtime.ts";

/**
 * `length()` function: returns the length of text in UTF-16 code units, or the number of items in a
 * list.
 */
export const length: FunctionRuntime = {
  pure: true,
  call([value]) {
    if (typeof value === "string" || Array.isArray(value)) return value.length;
    throw new TemplateFault(`length(): expected text or a list, found ${shown(value)}`);
  },
};
