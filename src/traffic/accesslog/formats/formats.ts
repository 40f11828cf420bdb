import { UsageError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { kindsOf } from "../../../plan/values/schema_walk.ts";
import type { FieldNames, LogFormat } from "../read/log_format.ts";
import { JSON_FORMATS } from "./json_formats.ts";
import { json } from "./named_format.ts";
import { type DescribedFormat, parseApachePattern, parseNginxPattern } from "./server_patterns.ts";
import { CLF_FORMATS, TEXT_FORMATS } from "./text_formats.ts";

/**
 * All named formats. Detection tries them in this order. If several formats match the same number
 * of lines, it chooses the first of them.
 */
export const NAMED_FORMATS: typeof CLF_FORMATS & typeof JSON_FORMATS & typeof TEXT_FORMATS = {
  ...CLF_FORMATS,
  ...JSON_FORMATS,
  ...TEXT_FORMATS,
};

/** The name of a log format. */
type FormatName = keyof typeof NAMED_FORMATS;

/** Values of `--log-format` that select a named format. */
export const FORMAT_NAMES: readonly FormatName[] = kindsOf(NAMED_FORMATS);

/** Returns the variants of a named format, in the order in which they are tried. */
export function variantsOf(name: FormatName): LogFormat[] {
  return NAMED_FORMATS[name].variants.map((variant) => ({ name, ...variant }));
}

/** Variants of all named formats, in the order in which they are tried. */
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
  const name = FORMAT_NAMES.find((name) => name === text);
  if (name !== undefined) return variantsOf(name).map((format) => withClient(format, client));
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

/** Field for each name in a `--json` value. The name of a duration states its unit. */
const NAMES: FieldNames = {
  time: "time",
  request: "request",
  method: "method",
  url: "target",
  path: "path",
  query: "query",
  status: "status",
  bytes: "bytes",
  client: "client",
  forwarded: "forwarded",
  host: "host",
  agent: "agent",
  referer: "referer",
  seconds: "duration",
  milliseconds: "duration",
};

const EXAMPLE = "time=ts,method=req.method,url=req.url,status=res.code";

/**
 * Parses a `--json` value such as `time=ts,method=req.method,url=req.url,status=res.code`. Throws
 * `UsageError` if it is invalid.
 */
function parseJsonOption(text: string): { name: string; member: string }[] {
  const pairs = text.split(",").map((pair) => {
    const [, name, member] = /^\s*(\w+)=(.+?)\s*$/.exec(pair) ?? [];
    if (name === undefined) throw invalid(`"${pair}" is not NAME=MEMBER`);
    if (!Object.hasOwn(NAMES, name)) {
      const hint = didYouMean(name, Object.keys(NAMES));
      throw invalid(`${name} is not a field${hint && `; ${hint}`}`);
    }
    return { name, member };
  });
  const has = (name: string) => pairs.some((pair) => pair.name === name);
  if (!has("time")) throw invalid("`time` is missing");
  if (!has("request") && !(has("method") && (has("url") || has("path")))) {
    throw invalid("it needs `request`, or `method` with `url` or `path`");
  }
  if (has("seconds") && has("milliseconds")) {
    throw invalid("`seconds` and `milliseconds` cannot be combined");
  }
  return pairs;
}

/**
 * Returns the variants of a JSON log format, one for each timestamp notation. `text` is a `--json`
 * value. `client` is the path of the member that identifies the client. Throws `UsageError` if it
 * is invalid.
 */
export function resolveJson(text: string, client?: string): readonly LogFormat[] {
  const pairs = parseJsonOption(text);
  const times = pairs.filter(({ name }) => name === "time").map(({ member }) => member);
  const others = pairs.filter(({ name }) => name !== "time");
  const fields = Object.fromEntries(others.map(({ name, member }) => [member, NAMES[name]]));
  const unit = pairs.some(({ name }) => name === "milliseconds") ? 1 : 1_000;
  return json({ iso: times, epoch: times, clf: times }, fields, unit)
    .map((variant) => withClient({ name: "--json", definition: text, ...variant }, client));
}

function invalid(reason: string): UsageError {
  const known = Object.keys(NAMES).join(", ");
  return new UsageError(
    `--json cannot be used: ${reason}; expected NAME=MEMBER pairs such as ${EXAMPLE}, where NAME is ` +
      `one of ${known}`,
  );
}
