import { ClfSplitter } from "../read/text_splitters.ts";
import { JsonSplitter, PrefixedJsonSplitter } from "../read/json_splitter.ts";
import type { JsonFields } from "../read/line_splitter.ts";
import type { LogFormat } from "../read/log_format.ts";
import type { TimeNotation } from "../read/times/notations.ts";
import { W3cSplitter } from "../read/named_splitters.ts";
import { type NamedFormat, textVariant } from "./named_format.ts";

/**
 * The combined format (`%h %l %u %t "%r" %>s %b`, followed by the referer and user agent). Lines in
 * the common format, which lack the last two fields, also match.
 */
export const COMBINED: LogFormat = {
  name: "combined",
  time: "clf",
  escapes: "log",
  durationUnit: 1,
  splitter: () => new ClfSplitter(),
};

/** Default log format of nginx, and the one most often used with Apache. */
export const combined: NamedFormat = {
  writtenBy: "nginx, Apache",
  sample:
    '203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512 "-" "curl/8.5"',
  variants: [COMBINED],
};

/** The Common Log Format, which contains neither a referer nor a user agent. */
export const common: NamedFormat = {
  writtenBy: "Apache's `common` format, also used by many other servers",
  sample: '203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512',
  variants: [{ ...COMBINED, name: "common" }],
};

/** The combined format with a virtual host at the start of the line. */
export const vhostCombined: NamedFormat = {
  writtenBy: "Apache's `vhost_combined`",
  sample:
    'shop.example:443 203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512 "-" "curl/8.5"',
  variants: [{
    ...COMBINED,
    name: "vhost_combined",
    splitter: () => new ClfSplitter("host"),
  }],
};

/** Default columns of a log that has no `#Fields:` line. */
const IIS_COLUMNS =
  "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) " +
  "cs(Referer) sc-status sc-substatus sc-win32-status time-taken";

/** Log of Microsoft IIS: the W3C extended format, separated by spaces. */
export const iis: NamedFormat = {
  writtenBy: "Microsoft IIS, WebLogic and others (W3C extended, with `#Fields:`)",
  sample: "2026-11-21 10:00:00 10.0.0.1 GET /cart id=7 443 - 203.0.113.7 curl/8.5 - 200 0 0 2",
  variants: [{
    name: "iis",
    time: "clock",
    escapes: "w3c",
    durationUnit: 1,
    decimalUnit: 1_000,
    hasDirectives: true,
    hasFieldNames: true,
    splitter: (client) => new W3cSplitter(" ", IIS_COLUMNS, client),
  }],
};

const NGINX_JSON_FIELDS: JsonFields = {
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
    nginxVariant("iso", ["time_iso8601", "time", "timestamp", "@timestamp", "time_local", "ts"]),
    nginxVariant("epoch", ["msec", "time", "timestamp", "@timestamp", "ts"]),
    nginxVariant("clf", ["time_local", "time", "timestamp", "@timestamp", "ts"]),
  ],
};

/**
 * Builds the nginxVariant in which the timestamp is in a member with one of `names` and has the
 * notation `time`.
 */
function nginxVariant(time: TimeNotation, names: readonly string[]): LogFormat {
  const fields = {
    ...Object.fromEntries(names.map((name) => [name, "time"] as const)),
    ...NGINX_JSON_FIELDS,
  };
  return {
    name: "nginx-json",
    time,
    escapes: "json",
    durationUnit: 1_000,
    splitter: () => new JsonSplitter(fields),
  };
}

const CADDY_FIELDS: JsonFields = {
  ts: "time",
  logger: "logger",
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

/**
 * Access log of Caddy, in JSON or in its console format, which puts the timestamp before the JSON
 * object. Caddy's option `time_format` selects the timestamp notation.
 */
export const caddy: NamedFormat = {
  writtenBy: "Caddy (`log` directive, formats `json` and `console`)",
  sample: '{"level":"info","ts":1795255200.5,"logger":"http.log.access","msg":"handled request",' +
    '"request":{"remote_ip":"203.0.113.7","client_ip":"203.0.113.7","method":"GET",' +
    '"host":"shop.example","uri":"/cart?id=7","headers":{"User-Agent":["curl/8.5"]}},' +
    '"duration":0.002,"size":512,"status":200}',
  variants: [
    caddyVariant("epoch"),
    caddyVariant("iso"),
    caddyVariant("clf"),
    ...(["iso", "epoch", "clf"] as const).map((time) => ({
      ...caddyVariant(time),
      splitter: () => new PrefixedJsonSplitter(CADDY_FIELDS),
    })),
  ],
};

function caddyVariant(time: TimeNotation): LogFormat {
  return {
    name: "caddy",
    time,
    escapes: "json",
    durationUnit: 1_000,
    splitter: () => new JsonSplitter(CADDY_FIELDS),
  };
}

const SQUID_LAYOUT = "<time> <~duration> <client> <>/<status> <bytes> <method> <target> <>";

/** Access log of Squid in its native format. */
export const squid: NamedFormat = {
  writtenBy: "Squid (native format)",
  sample:
    "1795255200.310    921 203.0.113.7 TCP_MISS/200 512 GET http://shop.example/cart?id=7 - " +
    "HIER_DIRECT/10.0.0.1 text/html",
  variants: [textVariant("squid", SQUID_LAYOUT, "epoch", 1)],
};
