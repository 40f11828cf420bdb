import { durationMs } from "../../base/duration.ts";
import { partitionCount } from "../../plan/partition.ts";
import type { ScenarioOf } from "../../plan/schema/scenario.ts";
import type { Executor } from "./executor.ts";

/** A fixed number of iterations, taken by whichever VU is free. */
export function sharedIterations(scenario: ScenarioOf<"shared-iterations">): Executor {
  const { vus, iterations, max_duration = "10m" } = scenario;
  return {
    durationMs: durationMs(max_duration)!,
    prepare(playing): () => Promise<unknown> {
      // A share without VUs of its own has the iterations all the same.
      let left = partitionCount(iterations, playing.share);
      const count = Math.min(left, Math.max(1, partitionCount(vus, playing.share)));
      const mine = Array.from({ length: count }, () => playing.openVu());
      return () => Promise.all(mine.map((vu) => playing.loop(vu, () => left-- > 0)));
    },
  };
}
