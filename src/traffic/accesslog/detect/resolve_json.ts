import { UsageError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import { jsonVariants } from "../formats/named_format.ts";
import type { LogField } from "../read/log_fields.ts";
import type { LogFormat } from "../read/log_format.ts";

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
