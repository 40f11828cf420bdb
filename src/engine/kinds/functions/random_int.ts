import { TemplateFault } from "../../vu/flow_end.ts";
import { type FunctionRuntime, toInteger } from "./function_runtime.ts";

/** `random_int()` function: returns a random integer from `min` to `max`, both inclusive. */
export const randomInt: FunctionRuntime = {
  pure: false,
  call(args, { random }) {
    const [min, max] = [toInteger(args[0]), toInteger(args[1])];
    if (min > max) throw new TemplateFault(`random_int(): ${min} is greater than ${max}`);
    return random.int(min, max);
  },
};
