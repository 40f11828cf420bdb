import { ClfSplitter } from "../read/clf_splitter.ts";
import { parsePieces } from "../patterns/log_format_pieces.ts";
import { JsonSplitter } from "../read/json_splitter.ts";
import type { LogFormat } from "../read/log_format.ts";
import type { LogField } from "../read/log_fields.ts";
import type { JsonFields, LineShape } from "../read/line_shape.ts";
import type { TimeNotation } from "../read/times/time_reader.ts";
import { PatternSplitter } from "../read/pattern_splitter.ts";
import { W3cSplitter } from "../read/w3c_splitter.ts";

const clf = { time: "clf", escapes: "log", durationUnit: 1 } as const;
const json = { escapes: "json", durationUnit: 1_000 } as const;
const w3c = { time: "clock", escapes: "none", hasDirectives: true } as const;

/**
 * The combined format (`%h %l %u %t "%r" %>s %b` with referer and user agent). Also reads lines in the
 * common format, which lack the last two fields.
 */
export const COMBINED: LogFormat = { ...clf, name: "combined", splitter: () => new ClfSplitter() };

/**
 * All formats with a name, in the order in which they are tried. Variants of a format, such as those
 * with different timestamps, have the same name.
 */
export const FORMATS: readonly LogFormat[] = [
  {
    ...clf,
    name: "vhost_combined",
    splitter: () => new ClfSplitter("host"),
  },
  COMBINED,
  { ...clf, name: "common", splitter: () => new ClfSplitter() },
  caddyFormat("epoch"),
  caddyFormat("iso"),
  caddyFormat("clf"),
  {
    ...json,
    name: "traefik",
    time: "iso",
    durationUnit: 1e-6,
    splitter: () =>
      new JsonSplitter({
        StartUTC: "time",
        ClientHost: "client",
        RequestMethod: "method",
        RequestPath: "target",
        RequestHost: "host",
        DownstreamStatus: "status",
        DownstreamContentSize: "bytes",
        Duration: "duration",
        "request_User-Agent": "agent",
        request_Referer: "referer",
      }),
  },
  { ...clf, name: "traefik", splitter: () => new ClfSplitter() },
  nginxJsonFormat("iso", ["time_iso8601", "time", "timestamp", "@timestamp", "time_local", "ts"]),
  nginxJsonFormat("epoch", ["msec", "time", "timestamp", "@timestamp", "ts"]),
  nginxJsonFormat("clf", ["time_local", "time", "timestamp", "@timestamp", "ts"]),
  {
    name: "alb",
    time: "iso",
    escapes: "log",
    durationUnit: 1_000,
    clientHasPort: true,
    splitter: () =>
      new PatternSplitter(
        parseLayout(
          "<> <time> <> <client> <> <duration> <duration2> <duration3> <status> <> <> <bytes> " +
            '"<request>" "<agent>" ',
          "iso",
        ),
      ),
  },
  {
    ...w3c,
    name: "cloudfront",
    durationUnit: 1_000,
    splitter: () =>
      new W3cSplitter(
        "\t",
        "date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status " +
          "cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id " +
          "x-host-header cs-protocol cs-bytes time-taken",
      ),
  },
  {
    ...w3c,
    name: "iis",
    durationUnit: 1,
    splitter: () =>
      new W3cSplitter(
        " ",
        "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) " +
          "cs(Referer) sc-status sc-substatus sc-win32-status time-taken",
      ),
  },
];

/**
 * Builds the format of Caddy's JSON logs. `time` is the notation that Caddy's option `time_format`
 * selects.
 */
function caddyFormat(time: TimeNotation): LogFormat {
  const fields: JsonFields = {
    ts: "time",
    status: "status",
    duration: "duration",
    size: "bytes",
    request: {
      remote_ip: "client",
      client_ip: "forwarded",
      method: "method",
      uri: "target",
      host: "host",
      headers: { "User-Agent": "agent", Referer: "referer" },
    },
  };
  return { ...json, name: "caddy", time, splitter: () => new JsonSplitter(fields) };
}

/**
 * Builds a format of JSON lines whose members are named after nginx variables, or have common shorter
 * names. `time` is the notation of the timestamps, and `names` lists the names of members that may
 * contain them.
 */
function nginxJsonFormat(time: TimeNotation, names: readonly string[]): LogFormat {
  const fields: JsonFields = {
    ...Object.fromEntries(names.map((name) => [name, "time"] as const)),
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
  return { ...json, name: "nginx-json", time, splitter: () => new JsonSplitter(fields) };
}

/**
 * Parses a line layout in which `<name>` is a field and `<>` is a field to skip. `time` is the notation
 * of its timestamps.
 */
function parseLayout(text: string, time: TimeNotation): LineShape {
  const parts = text.split(/<([a-z0-9]*)>/);
  const names = parts.filter((_, i) => i % 2 === 1);
  return parsePieces(
    parts.filter((_, i) => i % 2 === 0),
    names.map((name) => name === "" ? undefined : name as LogField),
    { time },
  );
}
