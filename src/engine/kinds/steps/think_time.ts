import { durationMs } from "../../../base/duration.ts";
import type { Random } from "../../../base/random.ts";
import type { ThinkTime } from "../../../plan/kinds/steps/steps.ts";
import { FlowEnd } from "../../vu/flow_end.ts";
import type { Vu } from "../../vu/vu.ts";

/**
 * Compiles a think time to a function that pauses a VU. The pause rejects with FlowEnd if the VU is
 * canceled meanwhile.
 */
export function compilePause(thinkTime: ThinkTime): (vu: Vu) => Promise<void> {
  const draw = drawMs(thinkTime);
  return (vu) => {
    vu.pauseDue = false;
    return pauseUntil(vu, vu.clock.now() + draw(vu.random));
  };
}

/** Waits until `time` on the clock. Rejects with FlowEnd if the VU is canceled meanwhile. */
export async function pauseUntil(vu: Vu, time: number): Promise<void> {
  if (!vu.cancelled) await vu.sleepUntil(time);
  if (vu.cancelled) throw new FlowEnd("iteration");
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

/** Pauses a VU for 1 ms, so that a loop that never waits does not block timers and other VUs. */
export function yieldToOthers(vu: Vu): Promise<void> {
  return pauseUntil(vu, vu.clock.now() + 1);
}
