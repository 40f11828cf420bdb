import type { FieldNames } from "../read/log_format.ts";
import { CLF, json, type NamedFormat } from "./named_format.ts";

const CADDY_FIELDS: FieldNames = {
  logger: "logger",
  status: "status",
  duration: "duration",
  size: "bytes",
  "request.remote_ip": "client",
  "request.client_ip": "forwarded",
  "request.method": "method",
  "request.uri": "target",
  "request.host": "host",
  "request.headers.User-Agent": "agent",
  "request.headers.Referer": "referer",
};

const NGINX_FIELDS: FieldNames = {
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

/** Names of members that contain timestamps. */
const TIMES = ["time", "timestamp", "@timestamp", "ts", "datetime", "date", "requestTime"];

/** Formats whose lines are JSON objects. */
export const JSON_FORMATS = {
  // Caddy's console format puts the timestamp before the JSON object. Its option `time_format`
  // selects the notation.
  caddy: {
    writtenBy: "Caddy (`log` directive, formats `json` and `console`)",
    sample:
      '{"level":"info","ts":1795255200.5,"logger":"http.log.access","msg":"handled request",' +
      '"request":{"remote_ip":"203.0.113.7","client_ip":"203.0.113.7","method":"GET",' +
      '"host":"shop.example","uri":"/cart?id=7","headers":{"User-Agent":["curl/8.5"]}},' +
      '"duration":0.002,"size":512,"status":200}',
    variants: [
      ...json({ epoch: ["ts"], iso: ["ts"], clf: ["ts"] }, CADDY_FIELDS, 1_000),
      ...json({ iso: ["ts"], epoch: ["ts"], clf: ["ts"] }, CADDY_FIELDS, 1_000, {
        isPrefixed: true,
      }),
    ],
  },
  // Traefik's `common` format is the combined format with a duration at the end of the line.
  traefik: {
    writtenBy: "Traefik (`accessLog`, both formats)",
    sample: '{"ClientHost":"203.0.113.7","DownstreamContentSize":512,"DownstreamStatus":200,' +
      '"Duration":2000000,"RequestHost":"shop.example","RequestMethod":"GET",' +
      '"RequestPath":"/cart?id=7","StartUTC":"2026-11-21T10:00:00.5Z","request_User-Agent":"curl/8.5"}',
    variants: [
      ...json({ iso: ["StartUTC"] }, {
        ClientHost: "client",
        RequestMethod: "method",
        RequestPath: "target",
        RequestHost: "host",
        DownstreamStatus: "status",
        DownstreamContentSize: "bytes",
        Duration: "duration",
        "request_User-Agent": "agent",
        request_Referer: "referer",
      }, 1e-6),
      CLF,
    ],
  },
  ecs: {
    writtenBy: "Filebeat, Logstash and others (Elastic Common Schema)",
    sample: '{"@timestamp":"2026-11-21T10:00:00.310Z","http":{"request":{"method":"GET"},' +
      '"response":{"status_code":200,"body":{"bytes":512}}},"url":{"path":"/cart","query":"id=7"},' +
      '"source":{"ip":"203.0.113.7"},"user_agent":{"original":"curl/8.5"},"event":{"duration":2000000}}',
    variants: json({ iso: ["@timestamp"], epoch: ["@timestamp"] }, {
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
  },
  gcp: {
    writtenBy: "Google Cloud (`httpRequest` of Cloud Logging)",
    sample: '{"httpRequest":{"requestMethod":"GET","requestUrl":"https://shop.example/cart?id=7",' +
      '"status":200,"responseSize":"512","userAgent":"curl/8.5","remoteIp":"203.0.113.7",' +
      '"latency":"0.002s"},"timestamp":"2026-11-21T10:00:00.310Z"}',
    variants: json({ iso: ["timestamp"] }, {
      "httpRequest.requestMethod": "method",
      "httpRequest.requestUrl": "target",
      "httpRequest.status": "status",
      "httpRequest.responseSize": "bytes",
      "httpRequest.userAgent": "agent",
      "httpRequest.remoteIp": "client",
      "httpRequest.latency": "duration",
      "httpRequest.referer": "referer",
    }, 1_000),
  },
  azure: {
    writtenBy: "Azure Front Door, Azure App Service (exported by diagnostic settings)",
    sample: '{"time":"2026-11-21T10:00:00.310Z","category":"FrontDoorAccessLog","properties":' +
      '{"httpMethod":"GET","requestUri":"https://shop.example:443/cart?id=7","clientIp":' +
      '"203.0.113.7","httpStatusCode":"200","timeTaken":"0.002","userAgent":"curl/8.5"}}',
    variants: [
      ...json({ iso: ["time"] }, {
        "properties.httpMethod": "method",
        "properties.requestUri": "target",
        "properties.clientIp": "client",
        "properties.clientIP": "client",
        "properties.httpStatusCode": "status",
        "properties.httpStatus": "status",
        "properties.timeTaken": "duration",
        "properties.userAgent": "agent",
      }, 1_000),
      ...json({ iso: ["time"] }, {
        "properties.CsMethod": "method",
        "properties.CsUriStem": "path",
        "properties.CsUriQuery": "query",
        "properties.CIp": "client",
        "properties.ScStatus": "status",
        "properties.TimeTaken": "duration",
        "properties.UserAgent": "agent",
        "properties.CsHost": "host",
      }, 1),
    ],
  },
  cloudflare: {
    writtenBy: "Cloudflare (Logpush, HTTP requests)",
    sample: '{"ClientIP":"203.0.113.7","ClientRequestHost":"shop.example",' +
      '"ClientRequestMethod":"GET","ClientRequestURI":"/cart?id=7","EdgeResponseBytes":512,' +
      '"EdgeResponseStatus":200,"EdgeStartTimestamp":"2026-11-21T10:00:00Z","RayID":"3f1"}',
    variants: json({ iso: ["EdgeStartTimestamp"], epoch: ["EdgeStartTimestamp"] }, {
      ClientIP: "client",
      ClientRequestHost: "host",
      ClientRequestMethod: "method",
      ClientRequestURI: "target",
      ClientRequestUserAgent: "agent",
      ClientRequestReferer: "referer",
      EdgeResponseBytes: "bytes",
      EdgeResponseStatus: "status",
      EdgeTimeToFirstByteMs: "duration",
    }, 1),
  },
  akamai: {
    writtenBy: "Akamai (DataStream 2, JSON)",
    sample: '{"version":1,"reqTimeSec":"1795255200.310","cliIP":"203.0.113.7","reqMethod":"GET",' +
      '"reqHost":"shop.example","reqPath":"cart","queryStr":"id=7","statusCode":"200",' +
      '"bytes":"512","transferTimeMSec":"2","UA":"curl%2F8.5"}',
    variants: json(
      { epoch: ["reqTimeSec"] },
      {
        cliIP: "client",
        reqMethod: "method",
        reqHost: "host",
        reqPath: "path",
        queryStr: "query",
        statusCode: "status",
        bytes: "bytes",
        UA: "agent",
        transferTimeMSec: "duration",
      },
      1,
      { hasRelativePath: true },
    ),
  },
  kong: {
    writtenBy: "Kong (`file-log`, `http-log` and similar plugins)",
    sample: '{"latencies":{"request":2,"kong":1,"proxy":1},"request":{"method":"GET","uri":' +
      '"/cart?id=7","url":"http://shop.example:8000/cart","headers":{"user-agent":"curl/8.5"}},' +
      '"response":{"status":200,"size":512},"client_ip":"203.0.113.7","started_at":1795255200310}',
    variants: json({ epoch: ["started_at"] }, {
      "latencies.request": "duration",
      "request.method": "method",
      "request.uri": "target",
      "request.headers.user-agent": "agent",
      "request.headers.host": "host",
      "response.status": "status",
      "response.size": "bytes",
      client_ip: "client",
    }, 1),
  },
  vercel: {
    writtenBy: "Vercel (log drains)",
    sample:
      '{"id":"1","timestamp":1795255200310,"source":"lambda","proxy":{"timestamp":1795255200310,' +
      '"method":"GET","host":"shop.example","path":"/cart?id=7","userAgent":["curl/8.5"],' +
      '"clientIp":"203.0.113.7","statusCode":200}}',
    variants: json({ epoch: ["timestamp"] }, {
      "proxy.method": "method",
      "proxy.host": "host",
      "proxy.path": "target",
      "proxy.userAgent": "agent",
      "proxy.referer": "referer",
      "proxy.clientIp": "client",
      "proxy.statusCode": "status",
    }, 1),
  },
  "node-json": {
    writtenBy: "pino-http, bunyan and similar Node.js loggers",
    sample: '{"level":30,"time":1795255200310,"req":{"method":"GET","url":"/cart?id=7",' +
      '"remoteAddress":"203.0.113.7","headers":{"user-agent":"curl/8.5"}},"res":{"statusCode":200},' +
      '"responseTime":2,"msg":"request completed"}',
    variants: json({ epoch: ["time", "timestamp"], iso: ["time", "timestamp"] }, {
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
  },
  // Members are named after variables of nginx, or have common shorter names.
  "nginx-json": {
    writtenBy: "nginx (`log_format … escape=json`, with members named after its variables)",
    sample: '{"time_iso8601":"2026-11-21T10:00:00+00:00","remote_addr":"203.0.113.7",' +
      '"request_method":"GET","request_uri":"/cart?id=7","status":200,"body_bytes_sent":512,' +
      '"request_time":0.002,"http_user_agent":"curl/8.5"}',
    variants: json(
      {
        iso: ["time_iso8601", "time", "timestamp", "@timestamp", "time_local", "ts"],
        epoch: ["msec", "time", "timestamp", "@timestamp", "ts"],
        clf: ["time_local", "time", "timestamp", "@timestamp", "ts"],
      },
      NGINX_FIELDS,
      1_000,
    ),
  },
  json: {
    writtenBy: "API Gateway, Fastly and others (JSON with common member names)",
    sample: '{"timestamp":"2026-11-21T10:00:00","client_ip":"203.0.113.7","request_method":"GET",' +
      '"url":"/cart?id=7","response_status":200,"response_body_size":512}',
    variants: json({
      iso: TIMES,
      epoch: [...TIMES, "msec"],
      clf: [...TIMES, "time_local"],
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
  },
} as const satisfies Readonly<Record<string, NamedFormat>>;
