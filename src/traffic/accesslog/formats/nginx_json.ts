import { JsonSplitter } from "../read/json_splitter.ts";
import type { JsonFields } from "../read/line_splitter.ts";
import type { LogFormat } from "../read/log_format.ts";
import type { TimeNotation } from "../read/times/notations.ts";
import type { NamedFormat } from "./named_format.ts";

const FIELDS: JsonFields = {
  remote_addr: "client",
  client_ip: "client",
  request: "request",
  request_method: "method",
  method: "method",
  request_uri: "target",
  uri: "path",
  path: "path",
  url: "target",
  args: "query",
  status: "status",
  body_bytes_sent: "bytes",
  bytes_sent: "bytes",
  request_time: "duration",
  http_referer: "referer",
  referer: "referer",
  http_user_agent: "agent",
  user_agent: "agent",
  host: "host",
  http_host: "host",
  http_x_forwarded_for: "forwarded",
  x_forwarded_for: "forwarded",
  http_x_real_ip: "forwarded",
  http_cf_connecting_ip: "forwarded",
};

/** JSON access log whose members are named after nginx variables or have common shorter names. */
export const nginxJson: NamedFormat = {
  writtenBy: "nginx (`log_format … escape=json`, with members named after its variables)",
  sample: '{"time_iso8601":"2026-11-21T10:00:00+00:00","remote_addr":"203.0.113.7",' +
    '"request_method":"GET","request_uri":"/cart?id=7","status":200,"body_bytes_sent":512,' +
    '"request_time":0.002,"http_user_agent":"curl/8.5"}',
  variants: [
    variant("iso", ["time_iso8601", "time", "timestamp", "@timestamp", "time_local", "ts"]),
    variant("epoch", ["msec", "time", "timestamp", "@timestamp", "ts"]),
    variant("clf", ["time_local", "time", "timestamp", "@timestamp", "ts"]),
  ],
};

/**
 * Builds the variant in which the timestamp is in a member with one of `names` and has the notation
 * `time`.
 */
function variant(time: TimeNotation, names: readonly string[]): LogFormat {
  const fields = {
    ...Object.fromEntries(names.map((name) => [name, "time"] as const)),
    ...FIELDS,
  };
  return {
    name: "nginx-json",
    time,
    escapes: "json",
    durationUnit: 1_000,
    splitter: () => new JsonSplitter(fields),
  };
}
