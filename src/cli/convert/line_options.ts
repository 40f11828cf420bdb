import { UsageError } from "../../base/errors.ts";
import { didYouMean } from "../../base/nearest.ts";
import type { FormatDefinition, LogFormat } from "../../traffic/accesslog/read/log_format.ts";
import type { Args } from "../command/command.ts";
import type { Reading } from "../input/read_log.ts";

/** Options that define how the lines of a log are read. Each is absent unless it is given. */
export type LineOptions = Partial<Pick<Reading, "client" | "formats" | "timeZone">>;

/**
 * Parses `--log-format`, `--json`, `--client` and `--time-zone`. Throws UsageError if one of them
 * is invalid.
 */
export async function parseLineOptions(args: Args): Promise<LineOptions> {
  const client = args.text("client");
  const formats = await parseFormats(args, client);
  const timeZone = await timeZoneOption(args);
  return {
    ...(client !== undefined && { client }),
    ...(formats !== undefined && { formats }),
    ...(timeZone !== undefined && { timeZone }),
  };
}

async function timeZoneOption(args: Args): Promise<string | undefined> {
  const text = args.text("time-zone");
  if (text === undefined) return undefined;
  const { parseTimeZone } = await import(
    "../../traffic/accesslog/read/times/zoned_time.ts"
  );
  const zone = parseTimeZone(text);
  if (zone !== undefined) return zone;
  const hint = didYouMean(text, Intl.supportedValuesOf("timeZone"));
  throw new UsageError(
    `--time-zone cannot be ${text}: expected a name such as Europe/Berlin or an offset such as +02:00` +
      (hint && `; ${hint}`),
  );
}

async function parseFormats(
  args: Args,
  client: string | undefined,
): Promise<readonly LogFormat[] | undefined> {
  const [format, json] = [args.text("log-format"), args.text("json")];
  if (format !== undefined && json !== undefined) {
    throw new UsageError("--json and --log-format cannot be combined: use only one of them");
  }
  if (json !== undefined) {
    const { resolveJson } = await import("../../traffic/accesslog/detect/resolve_json.ts");
    const made = { option: "--json", text: json, client } as const;
    if (client === undefined) return define(made, resolveJson(json));
    const { readClientFrom } = await import("../../traffic/accesslog/detect/client_field.ts");
    return define(made, resolveJson(json).map((variant) => readClientFrom(variant, client)));
  }
  if (format === undefined) return undefined;
  const { resolveFormats } = await import("../../traffic/accesslog/detect/resolve_formats.ts");
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
