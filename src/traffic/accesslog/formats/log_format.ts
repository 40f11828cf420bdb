import type { TimeNotation } from "../lines/time_reader.ts";
import type { LineWrapper } from "../lines/wrappers.ts";
import type { LineSplitter } from "../lines/line_splitter.ts";

/** The format of the lines of a log. */
export interface LogFormat {
  /** Its name as a value of `--log-format`, or `--log-format` itself for a format of the user. */
  readonly name: string;
  /** Notation of its timestamps. */
  readonly time: TimeNotation;
  /** Expanded strftime layout of its timestamps, if `time` is `layout`. */
  readonly layout?: string;
  /** How fields are escaped: `log` as nginx and Apache do, `json`, or `none`. */
  readonly escapes: "log" | "json" | "none";
  /** Unit of a request's duration, in milliseconds. */
  readonly durationUnit: number;
  /** Whether a port follows the client's address. */
  readonly clientHasPort?: boolean;
  /** Whether a line can change the format of the following lines. */
  readonly hasDirectives?: boolean;
  /** The wrapper of the lines, if they are wrapped. */
  readonly wrapper?: LineWrapper;
  /** Creates a splitter for the lines of one log, which may have state. */
  splitter(): LineSplitter;
}
