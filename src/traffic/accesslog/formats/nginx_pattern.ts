import type { Field } from "../lines/fields.ts";
import type { TimeNotation } from "../lines/moment.ts";
import { type Described, piecesOf } from "./described.ts";

const FIELDS: Readonly<Record<string, Field>> = {
  remote_addr: "client",
  time_local: "time",
  time_iso8601: "time",
  msec: "time",
  request: "request",
  request_method: "method",
  request_uri: "target",
  uri: "path",
  document_uri: "path",
  args: "query",
  query_string: "query",
  status: "status",
  body_bytes_sent: "bytes",
  bytes_sent: "bytes",
  request_time: "duration",
  http_referer: "referer",
  http_user_agent: "agent",
  host: "host",
  http_host: "host",
  server_name: "host",
};

const TIMES: Readonly<Record<string, TimeNotation>> = {
  time_local: "clf",
  time_iso8601: "iso",
  msec: "seconds",
};

/**
 * What an nginx `log_format` string describes, as it stands between the quotes in nginx's
 * configuration; `escape=json` or `escape=none` may stand before it. Variables that are not known are
 * passed over.
 */
export function nginxPattern(text: string): Described {
  const [, escape, format] = /^(?:escape=(default|json|none)\s+)?(.*)$/s.exec(text)!;
  const parts = format.split(/\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/);
  const names = parts.filter((_, i) => i % 2 === 1);
  const literals = parts.filter((_, i) => i % 2 === 0);
  const fields = names.map((name) => FIELDS[name]);
  return {
    pattern: piecesOf(literals, fields, "-"),
    time: TIMES[names.find((name) => TIMES[name] !== undefined) ?? "time_local"],
    escapes: escape === "json" || escape === "none" ? escape : "log",
    durationUnit: 1_000,
  };
}
