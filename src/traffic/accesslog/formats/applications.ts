import type { LogField } from "../read/line_splitter.ts";
import type { LogFormat } from "../read/log_format.ts";
import { LogfmtSplitter } from "../read/named_splitters.ts";
import type { TimeNotation } from "../read/times/notations.ts";
import { expandLayout } from "../read/times/zoned_time.ts";
import { type FormatOptions, jsonVariants, type NamedFormat, textVariant } from "./named_format.ts";

const RAILS_LAYOUT = 'Started <method> "<target>" for <client> at <time>';

/** Rails log. Reads the `Started …` line of each request, which contains no status. */
export const rails: NamedFormat = {
  writtenBy: "Rails (its `Started …` lines, which contain no status)",
  sample: 'Started GET "/cart?id=7" for 203.0.113.7 at 2026-11-21 10:00:00 +0000',
  variants: [
    textVariant("rails", RAILS_LAYOUT, "iso", 1),
    textVariant("rails", `<>, [<>] <>${RAILS_LAYOUT}`, "iso", 1),
  ],
};

const GIN_LAYOUT = "[GIN] <time> | <status> |<~duration> |<~client> |<~method>";
const GIN_OPTIONS = { layout: expandLayout("%Y/%m/%d - %T") };

/** Gin's access log, in the default format without colors. */
export const gin: NamedFormat = {
  writtenBy: "Gin (Go)",
  sample:
    '[GIN] 2026/11/21 - 10:00:00 | 200 |      2.31ms |     203.0.113.7 | GET      "/cart?id=7"',
  variants: [
    textVariant("gin", `${GIN_LAYOUT} <>"<target>"`, "layout", 1, GIN_OPTIONS),
    textVariant("gin", `${GIN_LAYOUT} <~target>`, "layout", 1, GIN_OPTIONS),
  ],
};

/**
 * Options for timestamps such as `21/Nov/2026 10:00:00`. They use an strftime layout, because the
 * notation `clf` would also match lines in the common format.
 */
const PYTHON_DATED: FormatOptions = { layout: expandLayout("%d/%b/%Y %T") };
const PYTHON_LOGGED = "<> <~client> - ";

/** Access logs of Python servers that do not write the combined format. */
export const python: NamedFormat = {
  writtenBy: "Uvicorn with `%(asctime)s`, Werkzeug, `http.server`, Django's `runserver`",
  sample: '203.0.113.7 - - [21/Nov/2026 10:00:00] "GET /cart?id=7 HTTP/1.1" 200 512',
  variants: [
    textVariant("python", '<client> - - [<time>] "<request>" <status> ', "layout", 1, PYTHON_DATED),
    textVariant("python", '[<time>] "<request>" <status> ', "layout", 1, PYTHON_DATED),
    textVariant("python", `<time> ${PYTHON_LOGGED}"<request>" <status>`, "iso", 1, {
      clientHasPort: true,
    }),
  ],
};

/** JSON logs of Node.js servers, with the objects `req` and `res`. */
export const nodeJson: NamedFormat = {
  writtenBy: "pino-http, bunyan and similar Node.js loggers",
  sample: '{"level":30,"time":1795255200310,"req":{"method":"GET","url":"/cart?id=7",' +
    '"remoteAddress":"203.0.113.7","headers":{"user-agent":"curl/8.5"}},"res":{"statusCode":200},' +
    '"responseTime":2,"msg":"request completed"}',
  variants: jsonVariants("node-json", {
    epoch: ["time", "timestamp"],
    iso: ["time", "timestamp"],
  }, {
    "req.method": "method",
    "req.url": "target",
    "req.remoteAddress": "client",
    "req.headers.user-agent": "agent",
    "req.headers.host": "host",
    "req.headers.x-forwarded-for": "forwarded",
    "res.statusCode": "status",
    responseTime: "duration",
    "response-time": "duration",
  }, 1),
};

/** Events in the Elastic Common Schema, with nested or dotted member names. */
export const ecs: NamedFormat = {
  writtenBy: "Filebeat, Logstash and others (Elastic Common Schema)",
  sample: '{"@timestamp":"2026-11-21T10:00:00.310Z","http":{"request":{"method":"GET"},' +
    '"response":{"status_code":200,"body":{"bytes":512}}},"url":{"path":"/cart","query":"id=7"},' +
    '"source":{"ip":"203.0.113.7"},"user_agent":{"original":"curl/8.5"},"event":{"duration":2000000}}',
  variants: jsonVariants("ecs", { iso: ["@timestamp"], epoch: ["@timestamp"] }, {
    "http.request.method": "method",
    "http.request.referrer": "referer",
    "http.response.status_code": "status",
    "http.response.body.bytes": "bytes",
    "url.path": "path",
    "url.query": "query",
    "url.original": "target",
    "url.domain": "host",
    "source.ip": "client",
    "source.address": "client",
    "client.ip": "client",
    "client.address": "client",
    "user_agent.original": "agent",
    "event.duration": "duration",
  }, 1e-6),
};

/** Names of members that contain timestamps. */
const JSON_TIMES = ["time", "timestamp", "@timestamp", "ts", "datetime", "date", "requestTime"];

/** JSON objects with member names that are common to many servers and services. */
export const flatJson: NamedFormat = {
  writtenBy: "API Gateway, Fastly and others (JSON with common member names)",
  sample: '{"timestamp":"2026-11-21T10:00:00","client_ip":"203.0.113.7","request_method":"GET",' +
    '"url":"/cart?id=7","response_status":200,"response_body_size":512}',
  variants: jsonVariants("json", {
    iso: JSON_TIMES,
    epoch: [...JSON_TIMES, "msec"],
    clf: [...JSON_TIMES, "time_local"],
  }, {
    ...{ remote_addr: "client", client_ip: "client", clientIp: "client", remote_ip: "client" },
    ...{ remoteIp: "client", ip: "client", client: "client" },
    ...{ request_method: "method", requestMethod: "method", http_method: "method" },
    ...{ httpMethod: "method", method: "method", verb: "method", request: "request" },
    ...{ request_uri: "target", requestUri: "target", request_url: "target", url: "target" },
    ...{ requestUrl: "target", uri: "path", path: "path" },
    ...{ args: "query", query: "query", query_string: "query" },
    ...{ status: "status", status_code: "status", statusCode: "status" },
    ...{ response_status: "status", response_code: "status", http_status: "status" },
    ...{ host: "host", referer: "referer", user_agent: "agent", userAgent: "agent" },
    ...{ x_forwarded_for: "forwarded", xForwardedFor: "forwarded" },
  }, 1_000),
};

const LOGFMT_FIELDS: Readonly<Record<string, LogField>> = {
  ...{ time: "time", ts: "time", timestamp: "time", t: "time" },
  ...{ method: "method", http_method: "method", verb: "method", request_method: "method" },
  ...{ path: "target", uri: "target", url: "target", request_uri: "target", target: "target" },
  ...{ status: "status", status_code: "status", code: "code", http_status: "status" },
  ...{ fwd: "forwarded", forwarded: "forwarded", x_forwarded_for: "forwarded" },
  ...{
    client: "client",
    client_ip: "client",
    remote_addr: "client",
    remote_ip: "client",
    ip: "client",
  },
  ...{ host: "host", bytes: "bytes", size: "bytes" },
  ...{ duration: "duration", service: "duration", took: "duration", elapsed: "duration" },
  ...{ latency: "duration", response_time: "duration", request_time: "duration" },
  ...{ user_agent: "agent", agent: "agent", ua: "agent", referer: "referer" },
};

/**
 * Lines of `name=value` pairs. The timestamp is in a pair or at the start of the line. Durations
 * without a unit are in milliseconds.
 */
export const logfmt: NamedFormat = {
  writtenBy: "Heroku's router, Lograge (Rails), Go services (logfmt)",
  sample: "2026-11-21T10:00:00.310000+00:00 heroku[router]: at=info method=GET " +
    'path="/cart?id=7" host=shop.example fwd="203.0.113.7" dyno=web.1 connect=0ms service=2ms ' +
    "status=200 bytes=512 protocol=https",
  variants: (["iso", "epoch", "clf"] as const).map(variant),
};

function variant(time: TimeNotation): LogFormat {
  return {
    name: "logfmt",
    time,
    escapes: "json",
    durationUnit: 1,
    hasFieldNames: true,
    splitter: (client) =>
      new LogfmtSplitter(
        client === undefined
          ? LOGFMT_FIELDS
          : { ...withoutForwarded(LOGFMT_FIELDS), [client]: "forwarded" },
      ),
  };
}

function withoutForwarded(fields: Readonly<Record<string, LogField>>): Record<string, LogField> {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== "forwarded"));
}
