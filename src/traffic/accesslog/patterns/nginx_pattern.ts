import type { LogField } from "../read/log_fields.ts";
import type { TimeNotation } from "../read/times/notations.ts";
import { type DescribedFormat, parsePieces } from "./line_layout.ts";

const FIELDS: Readonly<Record<string, LogField>> = {
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
  http_x_forwarded_for: "forwarded",
  http_x_real_ip: "forwarded",
  http_cf_connecting_ip: "forwarded",
  http_true_client_ip: "forwarded",
};

const TIMES: Readonly<Record<string, TimeNotation>> = {
  time_local: "clf",
  time_iso8601: "iso",
  msec: "epoch",
};

/**
 * Parses the value of an nginx `log_format` directive, without the quotes of the configuration
 * file. The value may start with `escape=json` or `escape=none`. The parsed format skips the values
 * of unknown variables.
 */
export function parseNginxPattern(text: string): DescribedFormat {
  const [, escape, format] = /^(?:escape=(default|json|none)\s+)?(.*)$/s.exec(text)!;
  const variables = [...format.matchAll(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g)];
  const names = variables.map(([, inBraces, bare]) => inBraces ?? bare);
  const literals = [""];
  let done = 0;
  for (const { 0: variable, index } of variables) {
    literals[literals.length - 1] = format.slice(done, index);
    literals.push("");
    done = index + variable.length;
  }
  literals[literals.length - 1] = format.slice(done);
  const time = TIMES[names.find((name) => TIMES[name] !== undefined) ?? "time_local"];
  return {
    pattern: parsePieces(literals, names.map((name) => FIELDS[name]), { time }, "-"),
    time,
    escapes: escape === "json" || escape === "none" ? escape : "log",
    durationUnit: 1_000,
  };
}
