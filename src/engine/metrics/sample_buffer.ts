import type { Sample, SampleBatch } from "./sample.ts";

/** Maximum number of samples that a thread buffers between two ticks (one second). */
const MAX_SAMPLES = 100_000;

/** Buffers samples until they are taken. Drops and counts the samples that do not fit. */
export class SampleBuffer {
  #samples: Sample[] = [];
  #dropped = 0;

  /** Adds a sample. */
  add(sample: Sample): void {
    if (this.#samples.length < MAX_SAMPLES) this.#samples.push(sample);
    else this.#dropped++;
  }

  /** Returns and removes the samples added since the last call. */
  take(): SampleBatch {
    const batch = { samples: this.#samples, dropped: this.#dropped };
    this.#samples = [];
    this.#dropped = 0;
    return batch;
  }
}

/** Converts a `performance.now()` time to Unix milliseconds, rounded to whole microseconds. */
export function wallTime(now: number): number {
  return Math.round((performance.timeOrigin + now) * 1_000) / 1_000;
}
