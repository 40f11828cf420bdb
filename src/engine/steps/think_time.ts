import { durationMs } from "../../base/format.ts";
import type { Random } from "../../base/random.ts";
import type { StepRuntime } from "./step_runtime.ts";
import type { Vu } from "../vu/vu.ts";
import type { ThinkTime } from "../../plan/kinds/think_time.ts";

/** `think_time` step: pauses the VU. */
export const thinkTimeStep: StepRuntime<"think_time"> = {
  compile: compilePause,
  conditions: () => [],
  lists: () => [],
};

/**
 * Returns a function that pauses a VU for the think time. The promise returned by that function
 * rejects with FlowEnd if the VU is canceled during the pause.
 */
export function compilePause(thinkTime: ThinkTime): (vu: Vu) => Promise<void> {
  const draw = drawMs(thinkTime);
  return (vu) => vu.pause(draw(vu.random));
}

function drawMs(thinkTime: ThinkTime): (random: Random) => number {
  if (typeof thinkTime !== "object") {
    const ms = toMs(thinkTime);
    return () => ms;
  }
  switch (thinkTime.type) {
    case "constant":
      return drawMs(thinkTime.duration);
    case "uniform": {
      const [min, max] = [toMs(thinkTime.min), toMs(thinkTime.max)];
      return (random) => min + (max - min) * random.next();
    }
    case "gaussian": {
      const [mean, deviation] = [toMs(thinkTime.mean), toMs(thinkTime.std_dev)];
      return (random) => Math.max(0, mean + deviation * random.gaussian());
    }
  }
}

function toMs(duration: string | number): number {
  return durationMs(duration) ?? 0;
}
