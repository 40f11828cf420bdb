import type { TimeNotation } from "./times/notations.ts";
import type { LineWrapper } from "./wrappers.ts";
import type { LineSplitter } from "./line_splitter.ts";

/** The option that defines a log format. */
export interface FormatDefinition {
  readonly option: "--log-format" | "--json";
  /** Value of the option that defines the format. */
  readonly text: string;
  /** Value of `--client`. */
  readonly client?: string;
  /** Index of the format among the formats that the option selects. */
  readonly index: number;
}

/** A log format: how a server writes the lines of a log. */
export interface LogFormat {
  /**
   * Name of the format. If an option defines the format, the name of the option: `--log-format` or
   * `--json`.
   */
  readonly name: string;
  /** The option that defines the format; absent if the format was detected. */
  readonly definition?: FormatDefinition;
  /**
   * Present if `--client` replaced the client field: the original format, and the name of the new
   * client field.
   */
  readonly clientChange?: { readonly format: LogFormat; readonly client: string };
  readonly time: TimeNotation;
  /** Expanded strftime layout of the timestamps; set only if `time` is `layout`. */
  readonly layout?: string;
  /**
   * Time zone of timestamps without a zone, as returned by `parseTimeZone`. If absent, such
   * timestamps are in UTC.
   */
  readonly timeZone?: string;
  /**
   * How field values are escaped: `log` (the default of nginx and Apache), `json`, `w3c` (the W3C
   * extended format) or `none`.
   */
  readonly escapes: "log" | "json" | "w3c" | "none";
  /**
   * Unit of the request durations in the log, expressed in milliseconds: for example, 1000 if the
   * durations are in seconds.
   */
  readonly durationUnit: number;
  /** Unit of durations with a decimal point, if it differs from `durationUnit`. */
  readonly decimalUnit?: number;
  /**
   * Variables or directives of the format string whose values are skipped, as written, some with a
   * hint in parentheses. Present only if the format was read from a format string.
   */
  readonly unusedNames?: readonly string[];
  /** True if a port follows the client's address. */
  readonly clientHasPort?: boolean;
  /**
   * True if the `forwarded` field identifies the client even if it contains no address. Otherwise,
   * this field identifies the client only if it starts with an address.
   */
  readonly forwardedIsClient?: boolean;
  /** True if paths lack their leading slash. */
  readonly hasRelativePath?: boolean;
  /** True if a line, such as a `#Fields:` line, can change the layout of the lines that follow. */
  readonly hasDirectives?: boolean;
  /** Wrapper around each line, such as Docker's; absent if the lines are not wrapped. */
  readonly wrapper?: LineWrapper;
  /**
   * Creates a splitter for one log. A splitter may have state, so create one for each log. `client`
   * is the name of the field that identifies the client, which the splitter must record as
   * `forwarded`. Formats without `hasFieldNames` ignore `client`.
   */
  splitter(client?: string): LineSplitter;
  /**
   * True if the lines themselves, or `#Fields:` lines, contain field names, so that `splitter` can
   * find the field whose name is `client`.
   */
  readonly hasFieldNames?: boolean;
}
