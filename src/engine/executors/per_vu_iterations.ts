import { durationMs } from "../../base/duration.ts";
import { partitionCount } from "../../plan/partition.ts";
import type { ScenarioOf } from "../../plan/schema/scenario.ts";
import type { Executor } from "./executor.ts";

/** Each VU plays a fixed number of iterations. */
export function perVuIterations(scenario: ScenarioOf<"per-vu-iterations">): Executor {
  const { vus, iterations, max_duration = "10m" } = scenario;
  return {
    durationMs: durationMs(max_duration)!,
    prepare(playing): () => Promise<unknown> {
      const mine = Array.from(
        { length: partitionCount(vus, playing.share) },
        () => playing.openVu(),
      );
      return () =>
        Promise.all(mine.map((vu) => playing.loop(vu, () => vu.iteration < iterations - 1)));
    },
  };
}
