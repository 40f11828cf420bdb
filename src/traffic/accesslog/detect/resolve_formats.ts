import { UsageError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { readClientFrom } from "./client_field.ts";
import { parseApachePattern } from "../patterns/apache_pattern.ts";
import type { DescribedFormat } from "../patterns/line_layout.ts";
import { FORMAT_NAMES, NAMED_FORMATS } from "../formats/formats.ts";
import type { LogFormat } from "../read/log_format.ts";
import { parseNginxPattern } from "../patterns/nginx_pattern.ts";
import { PatternSplitter } from "../read/pattern_splitter.ts";

/**
 * Returns the formats that a `--log-format` value selects. A name selects all variants of that
 * format. An nginx `log_format` string or an Apache `LogFormat` string selects one format. `client`
 * is the name of the field that identifies the client: a variable, a request header in an Apache
 * string, or a field of a named format. Throws `UsageError` if a value is invalid.
 */
export function resolveFormats(text: string, client?: string): readonly LogFormat[] {
  if (text.includes("$")) return [buildFormat(parseNginxPattern(text, client), client)];
  if (text.includes("%")) return [buildFormat(parseApachePattern(text, client), client)];
  const name = FORMAT_NAMES.find((name) => name === text);
  if (name !== undefined) {
    const { variants } = NAMED_FORMATS[name];
    return client === undefined
      ? variants
      : variants.map((format) => readClientFrom(format, client));
  }
  const hint = didYouMean(text, FORMAT_NAMES);
  throw new UsageError(
    `--log-format cannot be ${text}: expected one of ${
      FORMAT_NAMES.join(", ")
    }, an nginx log_format string ` +
      `or an Apache LogFormat string${hint && `; ${hint}`}`,
  );
}

function buildFormat(
  { pattern, ...rest }: DescribedFormat,
  client: string | undefined,
): LogFormat {
  const fields = new Set(pattern.pieces.map(({ field }) => field));
  const hasTarget = fields.has("target") || fields.has("path");
  const missing = fields.has("time")
    ? fields.has("request") || (fields.has("method") && hasTarget) ? undefined : "the request"
    : "the time";
  if (missing === undefined) {
    return {
      name: "--log-format",
      ...rest,
      ...(client !== undefined && { forwardedIsClient: true }),
      splitter: () => new PatternSplitter(pattern),
    };
  }
  throw new UsageError(
    `--log-format has no field for ${missing}: expected $time_local, $time_iso8601, $msec or %t, and ` +
      "$request or %r (or separate fields for the method and the path)",
  );
}
