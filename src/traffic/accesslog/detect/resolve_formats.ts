import { UsageError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { FORMAT_NAMES, NAMED_FORMATS } from "../formats/formats.ts";
import { jsonVariants } from "../formats/named_format.ts";
import { parseApachePattern, parseNginxPattern } from "../patterns/server_patterns.ts";
import type { DescribedFormat } from "../patterns/line_layout.ts";
import type { LogField } from "../read/line_splitter.ts";
import type { LogFormat } from "../read/log_format.ts";
import { PatternSplitter } from "../read/text_splitters.ts";
import { readClientFrom } from "./detect_format.ts";

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

/** Field for each name in a `--json` value. The name of a duration states its unit. */
const NAMES: Readonly<Record<string, LogField>> = {
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

/** A pair in a `--json` value: the name of a field, and the path of the member that contains it. */
export interface NamedMember {
  readonly name: string;
  readonly member: string;
}

/**
 * Parses a `--json` value such as `time=ts,method=req.method,url=req.url,status=res.code`. Throws
 * `UsageError` if it is invalid.
 */
export function parseJsonOption(text: string): NamedMember[] {
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
 * value. Throws `UsageError` if it is invalid.
 */
export function resolveJson(text: string): readonly LogFormat[] {
  const pairs = parseJsonOption(text);
  const times = pairs.filter(({ name }) => name === "time").map(({ member }) => member);
  const others = pairs.filter(({ name }) => name !== "time");
  const fields = Object.fromEntries(others.map(({ name, member }) => [member, NAMES[name]]));
  const unit = pairs.some(({ name }) => name === "milliseconds") ? 1 : 1_000;
  return jsonVariants("--json", { iso: times, epoch: times, clf: times }, fields, unit);
}

function invalid(reason: string): UsageError {
  const known = Object.keys(NAMES).join(", ");
  return new UsageError(
    `--json cannot be used: ${reason}; expected NAME=MEMBER pairs such as ${EXAMPLE}, where NAME is ` +
      `one of ${known}`,
  );
}
