import type { Recorder } from "./recorder.ts";

/** One recording of the labelled set. */
export interface Script {
  /** File name without extension. */
  readonly name: string;
  /** `name/version` of what is said to have written it. */
  readonly creator: string;
  /** The origin of URLs that start with `/`. */
  readonly origin: string;
  /** Plays the journey. */
  readonly play: (r: Recorder) => void;
}
