import { TemplateFault } from "../../vu/flow_end.ts";
import { type FunctionRuntime, shown } from "./function_runtime.ts";

/**
 * `random_choice()` function: returns a random item of a list, or one of several arguments at
 * random.
 */
export const randomChoice: FunctionRuntime = {
  pure: false,
  call(args, { random }) {
    const choices = args.length > 1 ? args : args[0];
    if (!Array.isArray(choices) || choices.length === 0) {
      throw new TemplateFault(
        `random_choice(): expected a list that is not empty, found ${
          Array.isArray(choices) ? "an empty list" : shown(choices)
        }`,
      );
    }
    return choices[random.int(0, choices.length - 1)];
  },
};
