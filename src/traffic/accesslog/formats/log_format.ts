import type { TimeNotation } from "../lines/moment.ts";
import type { LineSplitter } from "../lines/splitter.ts";

/** How the lines of a log are written. */
export interface LogFormat {
  /** What `--log-format` calls it, or `--log-format` itself for one that the user described. */
  readonly name: string;
  readonly time: TimeNotation;
  /** How the text of a field is escaped: nginx's and Apache's way, JSON's, or not at all. */
  readonly escapes: "log" | "json" | "none";
  /** Milliseconds in one unit of a request's duration. */
  readonly durationUnit: number;
  /** A new reader of its lines, which may learn from them. */
  splitter(): LineSplitter;
}
