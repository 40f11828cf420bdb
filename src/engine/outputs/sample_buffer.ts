import type { Sample, SampleBatch } from "./sample.ts";

/** The most samples that wait in a thread until its second is over. */
const MOST = 100_000;

/** Keeps samples until they are taken; those that there is no room for are counted. */
export class SampleBuffer {
  #samples: Sample[] = [];
  #dropped = 0;

  /** Adds one. */
  add(sample: Sample): void {
    if (this.#samples.length < MOST) this.#samples.push(sample);
    else this.#dropped++;
  }

  /** What was added since it was asked last. */
  take(): SampleBatch {
    const batch = { samples: this.#samples, dropped: this.#dropped };
    this.#samples = [];
    this.#dropped = 0;
    return batch;
  }
}

/** The moment of a reading of `performance.now()`, in ms from 1970, to the microsecond. */
export function wallTime(now: number): number {
  return Math.round((performance.timeOrigin + now) * 1_000) / 1_000;
}
