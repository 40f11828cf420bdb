import { durationMs } from "../../base/duration.ts";
import { partitionCount } from "../../plan/partition.ts";
import type { ScenarioOf } from "../../plan/schema/scenario.ts";
import type { Executor } from "./executor.ts";

/** A fixed number of VUs, each playing one iteration after the other. */
export function constantVus({ vus, duration }: ScenarioOf<"constant-vus">): Executor {
  return {
    durationMs: durationMs(duration)!,
    prepare(playing): () => Promise<unknown> {
      const mine = Array.from(
        { length: partitionCount(vus, playing.share) },
        () => playing.openVu(),
      );
      return () => Promise.all(mine.map((vu) => playing.loop(vu, () => true)));
    },
  };
}
