import type { TimeNotation } from "./times/notations.ts";
import type { LineWrapper } from "./wrappers.ts";
import type { LineSplitter } from "./line_splitter.ts";

/** Describes how a server writes the lines of a log. */
export interface LogFormat {
  /** Name of the format as a value of `--log-format`; `--log-format` itself for a custom pattern. */
  readonly name: string;
  /** Notation of the timestamps. */
  readonly time: TimeNotation;
  /** Expanded strftime layout of the timestamps; set only if `time` is `layout`. */
  readonly layout?: string;
  /**
   * How values of fields are escaped: `log` (as nginx and Apache do by default), `json` or `none`.
   */
  readonly escapes: "log" | "json" | "none";
  /** Unit of request durations, in milliseconds: 1000 if the log has seconds. */
  readonly durationUnit: number;
  /** True if the client's address is followed by a port. */
  readonly clientHasPort?: boolean;
  /** True if a line can change the layout of the lines after it, as `#Fields:` does. */
  readonly hasDirectives?: boolean;
  /** Wrapper around each line, such as Docker's; absent if the lines are not wrapped. */
  readonly wrapper?: LineWrapper;
  /** Creates a splitter for one log. A splitter may have state, so do not use it for several logs. */
  splitter(): LineSplitter;
}
