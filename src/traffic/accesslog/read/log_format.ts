import type { LineShape, LogField } from "./line_splitter.ts";
import type { TimeFormat } from "./notations.ts";

/** Log field for each name: of a pair, or the path of a JSON member, such as `req.method`. */
export type FieldNames = Readonly<Record<string, LogField>>;

/**
 * How the fields of a line are found. It is data, so that it can be sent to another thread:
 *
 * - `clf`: the common or combined format, with the client or the host at the start of the line
 * - `text`: fields and the text around them, in the syntax of `parseLayout`
 * - `pattern`: the same, already parsed
 * - `json`: a JSON object, with other text before it if `isPrefixed` is true
 * - `pairs`: pairs of the form `name=value`
 * - `columns`: the W3C extended format. Until the first `#Fields:` line, the columns are `columns`.
 *   The column `client`, if given, identifies the client.
 */
export type LineLayout =
  | { readonly clf: "client" | "host" }
  | { readonly text: string }
  | { readonly pattern: LineShape }
  | { readonly json: FieldNames; readonly isPrefixed?: boolean }
  | { readonly pairs: FieldNames }
  | { readonly columns: string; readonly separator: " " | "\t"; readonly client?: string };

/** A log format: how a server writes the lines of a log. */
export interface LogFormat extends TimeFormat {
  /**
   * Name of the format. If an option defines the format, the name of the option: `--log-format` or
   * `--json`.
   */
  readonly name: string;
  /** Value of the option that defines the format; absent if the format was detected. */
  readonly definition?: string;
  readonly lines: LineLayout;
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
   * hint in parentheses. Present only if a format string defines the format.
   */
  readonly unusedNames?: readonly string[];
  /** True if a port follows the client's address. */
  readonly clientHasPort?: boolean;
  /**
   * True if the `forwarded` field identifies the client even if it contains no address. Otherwise,
   * this field identifies the client only if it contains an address.
   */
  readonly forwardedIsClient?: boolean;
  /** True if paths lack their leading slash. */
  readonly hasRelativePath?: boolean;
  /** Name of the wrapper around each line (see `WRAPPERS`); absent if lines are not wrapped. */
  readonly wrapper?: string;
}
