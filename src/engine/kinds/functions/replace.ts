import { TemplateFault } from "../../vu/flow_end.ts";
import { type FunctionRuntime, spend, toText } from "./function_runtime.ts";

/**
 * `replace()` function: replaces every occurrence of a substring in a value with another string.
 */
export const replace: FunctionRuntime = {
  pure: true,
  call([value, from, to]) {
    const [text, search, replacement] = [toText(value), toText(from), toText(to)];
    if (search === "") throw new TemplateFault("replace(): the text to replace is empty");
    const pieces = text.split(search);
    spend((pieces.length - 1) * replacement.length);
    return pieces.join(replacement);
  },
};
