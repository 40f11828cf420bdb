import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import { readClientFrom } from "../../traffic/accesslog/detect/detect_format.ts";
import { resolveFormats, resolveJson } from "../../traffic/accesslog/detect/resolve_formats.ts";
import type { FormatDefinition, LogFormat } from "../../traffic/accesslog/read/log_format.ts";
import { parseTimeZone } from "../../traffic/accesslog/read/times/zoned_time.ts";
import type { Args } from "../command/command.ts";
import type { Reading } from "../input/read_log.ts";

/** Options that define how the lines of a log are read. Each is absent unless it is given. */
export type LineOptions = Partial<Pick<Reading, "client" | "formats" | "timeZone">>;

/**
 * Parses `--log-format`, `--json`, `--client` and `--time-zone`. Throws UsageError if one of them
 * is invalid.
 */
export function parseLineOptions(args: Args): LineOptions {
  const client = args.text("client");
  const formats = parseFormats(args, client);
  const timeZone = timeZoneOption(args);
  return {
    ...(client !== undefined && { client }),
    ...(formats !== undefined && { formats }),
    ...(timeZone !== undefined && { timeZone }),
  };
}

function timeZoneOption(args: Args): string | undefined {
  const text = args.text("time-zone");
  if (text === undefined) return undefined;
  const zone = parseTimeZone(text);
  if (zone !== undefined) return zone;
  const hint = didYouMean(text, Intl.supportedValuesOf("timeZone"));
  throw new UsageError(
    `--time-zone cannot be ${text}: expected a name such as Europe/Berlin or an offset such as +02:00` +
      (hint && `; ${hint}`),
  );
}

function parseFormats(
  args: Args,
  client: string | undefined,
): readonly LogFormat[] | undefined {
  const [format, json] = [args.text("log-format"), args.text("json")];
  if (format !== undefined && json !== undefined) {
    throw new UsageError("--json and --log-format cannot be combined: use only one of them");
  }
  if (json !== undefined) {
    const made = { option: "--json", text: json, client } as const;
    if (client === undefined) return define(made, resolveJson(json));
    return define(made, resolveJson(json).map((variant) => readClientFrom(variant, client)));
  }
  if (format === undefined) return undefined;
  const made = { option: "--log-format", text: format, client } as const;
  return define(made, resolveFormats(format, client));
}

/**
 * Adds to each format the `definition` from which other threads create the same format: the options
 * that define it, and its index in `formats`.
 */
function define(
  definition: Omit<FormatDefinition, "index">,
  formats: readonly LogFormat[],
): LogFormat[] {
  return formats.map((format, index) => ({ ...format, definition: { ...definition, index } }));
}
