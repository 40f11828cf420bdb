import type { TimeNotation } from "../lines/time_reader.ts";
import type { Wrapper } from "../lines/wrappers.ts";
import type { LineSplitter } from "../lines/line_splitter.ts";

/** How the lines of a log are written. */
export interface LogFormat {
  /** What `--log-format` calls it, or `--log-format` itself for one that the user described. */
  readonly name: string;
  readonly time: TimeNotation;
  /** The expanded strftime layout of its timestamps, if `time` is `layout`. */
  readonly layout?: string;
  /** How the text of a field is escaped: nginx's and Apache's way, JSON's, or not at all. */
  readonly escapes: "log" | "json" | "none";
  /** Milliseconds in one unit of a request's duration. */
  readonly durationUnit: number;
  /** Whether a port stands behind the client's address. */
  readonly clientHasPort?: boolean;
  /** Whether a line can change how those behind it are read. */
  readonly hasDirectives?: boolean;
  /** What the lines are wrapped in, if they are. */
  readonly wrapper?: Wrapper;
  /** A new reader of its lines, which may learn from them. */
  splitter(): LineSplitter;
}
