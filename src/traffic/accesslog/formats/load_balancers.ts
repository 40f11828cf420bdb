import { parseLayout } from "../patterns/line_layout.ts";
import { JsonSplitter } from "../read/json_splitter.ts";
import type { LogFormat } from "../read/log_format.ts";
import { PatternSplitter } from "../read/text_splitters.ts";
import { W3cSplitter } from "../read/named_splitters.ts";
import { jsonVariants, type NamedFormat, textVariant } from "./named_format.ts";
import { COMBINED } from "./web_servers.ts";

const ALB_LAYOUT =
  "<> <time> <> <client> <> <duration> <duration2> <duration3> <status> <> <> <bytes> " +
  '"<request>" "<agent>" ';

/** Access log of an AWS Application Load Balancer. */
export const alb: NamedFormat = {
  writtenBy: "AWS Application Load Balancer",
  sample:
    "https 2026-11-21T10:00:00.186641Z app/shop/50dc6c495c0c9188 203.0.113.7:2817 10.0.0.1:80 " +
    '0.000 0.001 0.000 200 200 34 512 "GET https://shop.example:443/cart?id=7 HTTP/1.1" "curl/8.5" - -',
  variants: [{
    name: "alb",
    time: "iso",
    escapes: "log",
    durationUnit: 1_000,
    clientHasPort: true,
    splitter: () => new PatternSplitter(parseLayout(ALB_LAYOUT, "iso")),
  }],
};

const ELB_LAYOUT =
  "<time> <> <client> <> <duration> <duration2> <duration3> <status> <> <> <bytes> " +
  '"<request>" "<agent>" ';

/** Access log of an AWS Classic Load Balancer. */
export const elb: NamedFormat = {
  writtenBy: "AWS Classic Load Balancer",
  sample: "2026-11-21T10:00:00.186641Z shop 203.0.113.7:2817 10.0.0.1:80 0.000073 0.001048 " +
    '0.000057 200 200 0 512 "GET https://shop.example:443/cart?id=7 HTTP/1.1" "curl/8.5" - -',
  variants: [textVariant("elb", ELB_LAYOUT, "iso", 1_000, { clientHasPort: true })],
};

const HAPROXY_LAYOUT =
  '<client> [<time>] <> <> <>/<>/<>/<>/<duration> <status> <bytes> <> "<request>"';

/** HTTP log of HAProxy. Its timestamps have milliseconds and no zone. */
export const haproxy: NamedFormat = {
  writtenBy: "HAProxy (`option httplog`, `option httpslog`)",
  sample: "203.0.113.7:33317 [21/Nov/2026:10:00:00.655] www static/srv1 0/0/1/1/2 200 512 - - " +
    '---- 1/1/0/0/0 0/0 "GET /cart?id=7 HTTP/1.1"',
  variants: [textVariant("haproxy", HAPROXY_LAYOUT, "clf", 1, { clientHasPort: true })],
};

const ENVOY_START = '[<time>] "<request>" <status> <>';
const ENVOY_END = ' <bytes> <duration> <> "<forwarded>" "<agent>" "<>" "<host>" "';

/** Access log of Envoy, in the default format of Envoy, or of Istio before or since 1.9. */
export const envoy: NamedFormat = {
  writtenBy: "Envoy, Istio (default text formats)",
  sample: '[2026-11-21T10:00:00.310Z] "GET /cart?id=7 HTTP/1.1" 200 - 0 512 2 1 "203.0.113.7" ' +
    '"curl/8.5" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "shop.example" "10.0.0.1:80"',
  variants: [
    textVariant("envoy", `${ENVOY_START} "<>" "<>" <>${ENVOY_END}`, "iso", 1),
    textVariant("envoy", `${ENVOY_START} <> <> "<>" <>${ENVOY_END}`, "iso", 1),
    textVariant("envoy", `${ENVOY_START} <>${ENVOY_END}`, "iso", 1),
  ],
};

/**
 * Access log of Traefik, in its JSON format or its `common` format, which is the combined format
 * with a duration at the end of the line.
 */
export const traefik: NamedFormat = {
  writtenBy: "Traefik (`accessLog`, both formats)",
  sample: '{"ClientHost":"203.0.113.7","DownstreamContentSize":512,"DownstreamStatus":200,' +
    '"Duration":2000000,"RequestHost":"shop.example","RequestMethod":"GET",' +
    '"RequestPath":"/cart?id=7","StartUTC":"2026-11-21T10:00:00.5Z","request_User-Agent":"curl/8.5"}',
  variants: [
    {
      name: "traefik",
      time: "iso",
      escapes: "json",
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
    { ...COMBINED, name: "traefik" },
  ],
};

/** Kong gateway log, as written by the file, HTTP and TCP log plugins. */
export const kong: NamedFormat = {
  writtenBy: "Kong (`file-log`, `http-log` and similar plugins)",
  sample: '{"latencies":{"request":2,"kong":1,"proxy":1},"request":{"method":"GET","uri":' +
    '"/cart?id=7","url":"http://shop.example:8000/cart","headers":{"user-agent":"curl/8.5"}},' +
    '"response":{"status":200,"size":512},"client_ip":"203.0.113.7","started_at":1795255200310}',
  variants: jsonVariants("kong", { epoch: ["started_at"] }, {
    "latencies.request": "duration",
    "request.method": "method",
    "request.uri": "target",
    "request.headers.user-agent": "agent",
    "request.headers.host": "host",
    "response.status": "status",
    "response.size": "bytes",
    client_ip: "client",
  }, 1),
};

/** Default columns of a log that has no `#Fields:` line. */
const CLOUDFRONT_COLUMNS =
  "date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status " +
  "cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id " +
  "x-host-header cs-protocol cs-bytes time-taken";

/** Standard log of CloudFront: the W3C extended format, separated by tabs. */
export const cloudfront: NamedFormat = {
  writtenBy: "AWS CloudFront (standard log), and other W3C logs with tabs",
  sample: "2026-11-21\t10:00:00\tLAX1\t512\t203.0.113.7\tGET\td1.cloudfront.net\t/cart\t200\t-\t" +
    "curl/8.5\tid=7\t-\tHit\tSOX4xwn4XV6Q4rgb7XiVGOHms==\td1.cloudfront.net\thttps\t23\t0.002",
  variants: [{
    name: "cloudfront",
    time: "clock",
    escapes: "w3c",
    durationUnit: 1,
    decimalUnit: 1_000,
    hasDirectives: true,
    hasFieldNames: true,
    splitter: (client) => new W3cSplitter("\t", CLOUDFRONT_COLUMNS, client),
  }],
};

/** HTTP request log of Cloudflare (Logpush). */
export const cloudflare: NamedFormat = {
  writtenBy: "Cloudflare (Logpush, HTTP requests)",
  sample: '{"ClientIP":"203.0.113.7","ClientRequestHost":"shop.example",' +
    '"ClientRequestMethod":"GET","ClientRequestURI":"/cart?id=7","EdgeResponseBytes":512,' +
    '"EdgeResponseStatus":200,"EdgeStartTimestamp":"2026-11-21T10:00:00Z","RayID":"3f1"}',
  variants: jsonVariants("cloudflare", {
    iso: ["EdgeStartTimestamp"],
    epoch: ["EdgeStartTimestamp"],
  }, {
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
};

/** Akamai DataStream 2 log. Its paths have no leading slash. */
export const akamai: NamedFormat = {
  writtenBy: "Akamai (DataStream 2, JSON)",
  sample: '{"version":1,"reqTimeSec":"1795255200.310","cliIP":"203.0.113.7","reqMethod":"GET",' +
    '"reqHost":"shop.example","reqPath":"cart","queryStr":"id=7","statusCode":"200",' +
    '"bytes":"512","transferTimeMSec":"2","UA":"curl%2F8.5"}',
  variants: jsonVariants(
    "akamai",
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
};

const S3_LAYOUT =
  '<> <> [<time>] <client> <> <> <> <> "<request>" <status> <> <bytes> <> <duration> ' +
  '<> "<referer>" "<agent>"';

/** Server access log of Amazon S3. */
export const s3: NamedFormat = {
  writtenBy: "Amazon S3 (server access log)",
  sample:
    "79a59df900b949e55d96a1e698fbaced shop-bucket [21/Nov/2026:10:00:00 +0000] 203.0.113.7 - " +
    '3E57427F3EXAMPLE REST.GET.OBJECT cart "GET /cart?id=7 HTTP/1.1" 200 - 512 512 2 1 "-" ' +
    '"curl/8.5" -',
  variants: [textVariant("s3", S3_LAYOUT, "clf", 1)],
};

/** Google Cloud request log, such as one from a load balancer or Cloud Run. */
export const gcp: NamedFormat = {
  writtenBy: "Google Cloud (`httpRequest` of Cloud Logging)",
  sample: '{"httpRequest":{"requestMethod":"GET","requestUrl":"https://shop.example/cart?id=7",' +
    '"status":200,"responseSize":"512","userAgent":"curl/8.5","remoteIp":"203.0.113.7",' +
    '"latency":"0.002s"},"timestamp":"2026-11-21T10:00:00.310Z"}',
  variants: jsonVariants("gcp", { iso: ["timestamp"] }, {
    "httpRequest.requestMethod": "method",
    "httpRequest.requestUrl": "target",
    "httpRequest.status": "status",
    "httpRequest.responseSize": "bytes",
    "httpRequest.userAgent": "agent",
    "httpRequest.remoteIp": "client",
    "httpRequest.latency": "duration",
    "httpRequest.referer": "referer",
  }, 1_000),
};

/** Logs of Azure Front Door and Azure App Service, as diagnostic settings export them. */
export const azure: NamedFormat = {
  writtenBy: "Azure Front Door, Azure App Service (exported by diagnostic settings)",
  sample: '{"time":"2026-11-21T10:00:00.310Z","category":"FrontDoorAccessLog","properties":' +
    '{"httpMethod":"GET","requestUri":"https://shop.example:443/cart?id=7","clientIp":' +
    '"203.0.113.7","httpStatusCode":"200","timeTaken":"0.002","userAgent":"curl/8.5"}}',
  variants: [
    ...variants(1_000, {
      "properties.httpMethod": "method",
      "properties.requestUri": "target",
      "properties.clientIp": "client",
      "properties.clientIP": "client",
      "properties.httpStatusCode": "status",
      "properties.httpStatus": "status",
      "properties.timeTaken": "duration",
      "properties.userAgent": "agent",
    }),
    ...variants(1, {
      "properties.CsMethod": "method",
      "properties.CsUriStem": "path",
      "properties.CsUriQuery": "query",
      "properties.CIp": "client",
      "properties.ScStatus": "status",
      "properties.TimeTaken": "duration",
      "properties.UserAgent": "agent",
      "properties.CsHost": "host",
    }),
  ],
};

function variants(unit: number, fields: Parameters<typeof jsonVariants>[2]): LogFormat[] {
  return jsonVariants("azure", { iso: ["time"] }, fields, unit);
}

/** Format of Vercel's log drains. */
export const vercel: NamedFormat = {
  writtenBy: "Vercel (log drains)",
  sample:
    '{"id":"1","timestamp":1795255200310,"source":"lambda","proxy":{"timestamp":1795255200310,' +
    '"method":"GET","host":"shop.example","path":"/cart?id=7","userAgent":["curl/8.5"],' +
    '"clientIp":"203.0.113.7","statusCode":200}}',
  variants: jsonVariants("vercel", { epoch: ["timestamp"] }, {
    "proxy.method": "method",
    "proxy.host": "host",
    "proxy.path": "target",
    "proxy.userAgent": "agent",
    "proxy.referer": "referer",
    "proxy.clientIp": "client",
    "proxy.statusCode": "status",
  }, 1),
};
