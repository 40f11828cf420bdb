import { chooser } from "../../../base/random.ts";
import type { StepRuntime } from "./step_runtime.ts";

/**
 * `random` step: runs one of several lists of steps. With the `round_robin` strategy, the lists
 * take turns, and all VUs share one counter.
 */
export const random: StepRuntime<"random"> = {
  compile({ strategy = "weighted", choices }, scope, compileSteps) {
    const ops = choices.map(({ steps }) => compileSteps(steps, scope));
    if (strategy === "round_robin") {
      let turn = 0;
      return (vu) => ops[turn++ % ops.length](vu);
    }
    const weights = choices.map(({ weight = 1 }) => strategy === "uniform" ? 1 : weight);
    if (!weights.some((weight) => weight > 0)) return () => {};
    const choose = chooser(weights);
    return (vu) => ops[choose(vu.random)](vu);
  },
  conditions: () => [],
  lists: ({ choices }) => choices.map(({ steps }) => steps),
};
