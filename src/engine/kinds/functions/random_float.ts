import { TemplateFault } from "../../vu/flow_end.ts";
import { type FunctionRuntime, toNumber } from "./function_runtime.ts";

/**
 * `random_float()` function: returns a random number from `min` (inclusive) to `max` (exclusive).
 */
export const randomFloat: FunctionRuntime = {
  pure: false,
  call(args, { random }) {
    const [min, max] = [Number(toNumber(args[0])), Number(toNumber(args[1]))];
    if (min > max) throw new TemplateFault(`random_float(): ${min} is greater than ${max}`);
    const value = min + (max - min) * random.next();
    if (!Number.isFinite(value)) throw new TemplateFault("random_float(): the range is too large");
    return value;
  },
};
