import type { Recorder } from "./recorder.ts";

/** One recording of the labelled set. */
export interface Script {
  /** File name without extension. */
  readonly name: string;
  /** `name/version` of the program that the HAR names as its creator. */
  readonly creator: string;
  /** Origin for URLs that start with `/`. */
  readonly origin: string;
  /** Records the calls of the session. */
  readonly record: (r: Recorder) => void;
}
