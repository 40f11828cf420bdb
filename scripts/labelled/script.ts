import type { Recorder } from "./recorder.ts";

/** One recording of the labelled set. */
export interface Script {
  /** File name without extension. */
  readonly name: string;
  /** `name/version` of the program in the HAR's `creator` object. */
  readonly creator: string;
  /** Origin for URLs that start with `/`. */
  readonly origin: string;
  /** Records the calls of the session. */
  readonly record: (r: Recorder) => void;
}
