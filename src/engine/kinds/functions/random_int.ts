import { TemplateFault } from "../../vu/flow_end.ts";
import { type FunctionRuntime, integerOf } from "./function_runtime.ts";

/** `random_int()` function. */
export const randomInt: FunctionRuntime = {
  pure: false,
  call(args, { random }) {
    const [min, max] = [integerOf(args[0]), integerOf(args[1])];
    if (min > max) throw new TemplateFault(`random_int(): ${min} is greater than ${max}`);
    return random.int(min, max);
  },
};
