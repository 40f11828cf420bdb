import { UsageError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import type { FieldNames, LogFormat } from "../read/log_format.ts";
import { NAMED_FORMATS, parseJsonOption } from "./named_formats.ts";
import { type DescribedFormat, parseApachePattern, parseNginxPattern } from "./server_patterns.ts";

/** Values of `--log-format` that select a named format. */
export const FORMAT_NAMES: readonly string[] = Object.keys(NAMED_FORMATS);

export function variantsOf(name: string): LogFormat[] {
  return NAMED_FORMATS[name].map((variant) => ({ name, ...variant }));
}

export const FORMATS: readonly LogFormat[] = FORMAT_NAMES.flatMap(variantsOf);

/**
 * The combined format (`%h %l %u %t "%r" %>s %b`, followed by the referer and user agent). Lines in
 * the common format, which lack the last two fields, also match.
 */
export const COMBINED: LogFormat = FORMATS.find(({ name }) => name === "combined")!;

/**
 * Returns the formats that a `--log-format` value selects. A name selects all variants of that
 * format. An nginx `log_format` string or an Apache `LogFormat` string selects one format. `client`
 * is the name of the field that identifies the client: a variable, a request header in an Apache
 * string, or a field of a named format. Throws `UsageError` if a value is invalid.
 */
export function resolveFormats(text: string, client?: string): readonly LogFormat[] {
  if (text.includes("$")) return [defined(parseNginxPattern(text, client), text, client)];
  if (text.includes("%")) return [defined(parseApachePattern(text, client), text, client)];
  if (FORMAT_NAMES.includes(text)) {
    return variantsOf(text).map((format) => withClient(format, client));
  }
  const hint = didYouMean(text, FORMAT_NAMES);
  throw new UsageError(
    `--log-format cannot be ${text}: expected one of ${
      FORMAT_NAMES.join(", ")
    }, an nginx log_format string ` +
      `or an Apache LogFormat string${hint && `; ${hint}`}`,
  );
}

function defined(
  parsed: DescribedFormat,
  definition: string,
  client: string | undefined,
): LogFormat {
  const fields = new Set(parsed.lines.pattern.pieces.map(({ field }) => field));
  const hasTarget = fields.has("target") || fields.has("path");
  const missing = fields.has("time")
    ? fields.has("request") || (fields.has("method") && hasTarget) ? undefined : "the request"
    : "the time";
  if (missing === undefined) {
    const forwardedIsClient = client !== undefined;
    return { name: "--log-format", definition, ...parsed, forwardedIsClient };
  }
  throw new UsageError(
    `--log-format has no field for ${missing}: expected $time_local, $time_iso8601, $msec or %t, and ` +
      "$request or %r (or separate fields for the method and the path)",
  );
}

/**
 * Returns a variant of `format` that reads the client from the field `client`: the path of a JSON
 * member, the name in a `name=value` pair, or the name of a column. Returns `format` if `client` is
 * undefined. Throws `UsageError` if the lines have no field names.
 */
export function withClient(format: LogFormat, client: string | undefined): LogFormat {
  if (client === undefined) return format;
  const { lines } = format;
  const reading = (fields: FieldNames): FieldNames => ({
    ...Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== "forwarded")),
    [client]: "forwarded",
  });
  const changed = { ...format, forwardedIsClient: true };
  if ("columns" in lines) return { ...changed, lines: { ...lines, client } };
  if ("pairs" in lines) return { ...changed, lines: { pairs: reading(lines.pairs) } };
  if ("json" in lines) return { ...changed, lines: { ...lines, json: reading(lines.json) } };
  throw new UsageError(
    `--client cannot be ${client}: lines in the format ${format.name} have no field names; describe ` +
      "the lines with `--log-format`, and set `--client` to one of its variables",
  );
}

/**
 * Returns the variants of a JSON log format, one for each timestamp notation. `text` is a `--json`
 * value. `client` is the path of the member that identifies the client. Throws `UsageError` if it
 * is invalid.
 */
export function resolveJson(text: string, client?: string): readonly LogFormat[] {
  return parseJsonOption(text)
    .map((variant) => withClient({ name: "--json", definition: text, ...variant }, client));
}
