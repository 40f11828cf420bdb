import { durationMs } from "../../base/duration.ts";
import { partitionCount } from "../../plan/partition.ts";
import type { ScenarioOf } from "../../plan/schema/scenario.ts";
import type { Cancel } from "../clock.ts";
import type { Vu } from "../flow/vu.ts";
import type { Executor, ExecutorContext } from "./executor.ts";
import { type VuChange, vuChanges } from "./vu_changes.ts";

/** A VU's place in the ramp: wanted or not, and at work or not. */
interface Place {
  readonly vu: Vu;
  wanted: boolean;
  work: Promise<void> | undefined;
  cut: Cancel | undefined;
}

/** A number of VUs that moves in straight lines from stage to stage. */
export function rampingVus(scenario: ScenarioOf<"ramping-vus">): Executor {
  const stages = scenario.stages.map(({ duration, target }) => ({
    durationMs: durationMs(duration)!,
    target,
  }));
  const changes = vuChanges(scenario.start_vus ?? 0, stages);
  const graceMs = durationMs(scenario.graceful_ramp_down ?? "30s")!;
  return {
    durationMs: stages.reduce((sum, stage) => sum + stage.durationMs, 0),
    prepare: (playing) => () => ramp(playing, changes, graceMs),
  };
}

async function ramp(playing: ExecutorContext, changes: readonly VuChange[], graceMs: number) {
  const ramp = new Ramp(playing, graceMs);
  for (const { time, vus } of changes) {
    playing.clock.at(playing.startsAt + time, () => ramp.set(partitionCount(vus, playing.share)));
  }
  await new Promise<void>((resolve) => playing.onStop(resolve));
  await ramp.ended();
}

class Ramp {
  readonly #playing: ExecutorContext;
  readonly #graceMs: number;
  readonly #places: Place[] = [];

  constructor(playing: ExecutorContext, graceMs: number) {
    this.#playing = playing;
    this.#graceMs = graceMs;
  }

  /** Wants this many VUs from now on: those that came last go first. */
  set(vus: number): void {
    if (this.#playing.stopping) return;
    while (this.#places.length < vus) this.#places.push(this.#open());
    this.#places.forEach((place, i) => i < vus ? this.#want(place) : this.#release(place));
  }

  async ended(): Promise<void> {
    await Promise.all(this.#places.map(({ work }) => work));
  }

  #open(): Place {
    return { vu: this.#playing.openVu(), wanted: false, work: undefined, cut: undefined };
  }

  #want(place: Place): void {
    place.cut?.();
    place.cut = undefined;
    place.wanted = true;
    place.work ??= this.#playing.loop(place.vu, () => place.wanted).finally(() => {
      place.work = undefined;
    });
  }

  #release(place: Place): void {
    if (!place.wanted) return;
    place.wanted = false;
    if (place.work === undefined) return;
    place.vu.wakeIdle();
    const { clock } = this.#playing;
    place.cut = clock.at(clock.now() + this.#graceMs, () => place.vu.cancel());
  }
}
