import type { FieldNames } from "../read/log_format.ts";
import { expandLayout } from "../read/time_layout.ts";
import { CLF, clf, columns, type NamedFormat, text, type Variant } from "./named_format.ts";

/** The common and the combined format. */
export const CLF_FORMATS = {
  vhost_combined: {
    writtenBy: "Apache's `vhost_combined`",
    sample:
      'shop.example:443 203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512 "-" "curl/8.5"',
    variants: [clf("host")],
  },
  combined: {
    writtenBy: "nginx, Apache",
    sample:
      '203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512 "-" "curl/8.5"',
    variants: [CLF],
  },
  common: {
    writtenBy: "Apache's `common` format, also used by many other servers",
    sample: '203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512',
    variants: [CLF],
  },
} as const satisfies Readonly<Record<string, NamedFormat>>;

const ELB_LAYOUT =
  "<time> <> <client> <> <duration> <duration2> <duration3> <status> <> <> <bytes> " +
  '"<request>" "<agent>" ';
const S3_LAYOUT =
  '<> <> [<time>] <client> <> <> <> <> "<request>" <status> <> <bytes> <> <duration> ' +
  '<> "<referer>" "<agent>"';
const HAPROXY_LAYOUT =
  '<client> [<time>] <> <> <>/<>/<>/<>/<duration> <status> <bytes> <> "<request>"';
const ENVOY_START = '[<time>] "<request>" <status> <>';
const ENVOY_END = ' <bytes> <duration> <> "<forwarded>" "<agent>" "<>" "<host>" "';
const SQUID_LAYOUT = "<time> <~duration> <client> <>/<status> <bytes> <method> <target> <>";
const RAILS_LAYOUT = 'Started <method> "<target>" for <client> at <time>';
const GIN_LAYOUT = "[GIN] <time> | <status> |<~duration> |<~client> |<~method>";
const GIN_OPTIONS = { layout: expandLayout("%Y/%m/%d - %T") };
/**
 * Options for timestamps such as `21/Nov/2026 10:00:00`. They use an strftime layout, because the
 * notation `clf` would also match lines in the common format.
 */
const PYTHON_DATED = { layout: expandLayout("%d/%b/%Y %T") };
const CLOUDFRONT_COLUMNS =
  "date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status " +
  "cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id " +
  "x-host-header cs-protocol cs-bytes time-taken";
const IIS_COLUMNS =
  "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip cs(User-Agent) " +
  "cs(Referer) sc-status sc-substatus sc-win32-status time-taken";
const LOGFMT_FIELDS: FieldNames = {
  ...{ time: "time", ts: "time", timestamp: "time", t: "time" },
  ...{ method: "method", http_method: "method", verb: "method", request_method: "method" },
  ...{ path: "target", uri: "target", url: "target", request_uri: "target", target: "target" },
  ...{ status: "status", status_code: "status", code: "code", http_status: "status" },
  ...{ fwd: "forwarded", forwarded: "forwarded", x_forwarded_for: "forwarded" },
  ...{ client: "client", client_ip: "client", remote_addr: "client", remote_ip: "client" },
  ...{ ip: "client", host: "host", bytes: "bytes", size: "bytes" },
  ...{ duration: "duration", service: "duration", took: "duration", elapsed: "duration" },
  ...{ latency: "duration", response_time: "duration", request_time: "duration" },
  ...{ user_agent: "agent", agent: "agent", ua: "agent", referer: "referer" },
};

/** Formats whose lines are text with delimiters, columns or pairs. */
export const TEXT_FORMATS = {
  alb: {
    writtenBy: "AWS Application Load Balancer",
    sample:
      "https 2026-11-21T10:00:00.186641Z app/shop/50dc6c495c0c9188 203.0.113.7:2817 10.0.0.1:80 " +
      '0.000 0.001 0.000 200 200 34 512 "GET https://shop.example:443/cart?id=7 HTTP/1.1" "curl/8.5" - -',
    variants: [text(`<> ${ELB_LAYOUT}`, "iso", 1_000, { clientHasPort: true })],
  },
  elb: {
    writtenBy: "AWS Classic Load Balancer",
    sample: "2026-11-21T10:00:00.186641Z shop 203.0.113.7:2817 10.0.0.1:80 0.000073 0.001048 " +
      '0.000057 200 200 0 512 "GET https://shop.example:443/cart?id=7 HTTP/1.1" "curl/8.5" - -',
    variants: [text(ELB_LAYOUT, "iso", 1_000, { clientHasPort: true })],
  },
  s3: {
    writtenBy: "Amazon S3 (server access log)",
    sample:
      "79a59df900b949e55d96a1e698fbaced shop-bucket [21/Nov/2026:10:00:00 +0000] 203.0.113.7 - " +
      '3E57427F3EXAMPLE REST.GET.OBJECT cart "GET /cart?id=7 HTTP/1.1" 200 - 512 512 2 1 "-" ' +
      '"curl/8.5" -',
    variants: [text(S3_LAYOUT, "clf", 1)],
  },
  cloudfront: {
    writtenBy: "AWS CloudFront (standard log), and other W3C logs with tabs",
    sample:
      "2026-11-21\t10:00:00\tLAX1\t512\t203.0.113.7\tGET\td1.cloudfront.net\t/cart\t200\t-\t" +
      "curl/8.5\tid=7\t-\tHit\tSOX4xwn4XV6Q4rgb7XiVGOHms==\td1.cloudfront.net\thttps\t23\t0.002",
    variants: [columns("\t", CLOUDFRONT_COLUMNS)],
  },
  iis: {
    writtenBy: "Microsoft IIS, WebLogic and others (W3C extended, with `#Fields:`)",
    sample: "2026-11-21 10:00:00 10.0.0.1 GET /cart id=7 443 - 203.0.113.7 curl/8.5 - 200 0 0 2",
    variants: [columns(" ", IIS_COLUMNS)],
  },
  // Its timestamps have milliseconds and no zone.
  haproxy: {
    writtenBy: "HAProxy (`option httplog`, `option httpslog`)",
    sample: "203.0.113.7:33317 [21/Nov/2026:10:00:00.655] www static/srv1 0/0/1/1/2 200 512 - - " +
      '---- 1/1/0/0/0 0/0 "GET /cart?id=7 HTTP/1.1"',
    variants: [text(HAPROXY_LAYOUT, "clf", 1, { clientHasPort: true })],
  },
  // The default format of Envoy, or of Istio before or since 1.9.
  envoy: {
    writtenBy: "Envoy, Istio (default text formats)",
    sample: '[2026-11-21T10:00:00.310Z] "GET /cart?id=7 HTTP/1.1" 200 - 0 512 2 1 "203.0.113.7" ' +
      '"curl/8.5" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "shop.example" "10.0.0.1:80"',
    variants: [
      text(`${ENVOY_START} "<>" "<>" <>${ENVOY_END}`, "iso", 1),
      text(`${ENVOY_START} <> <> "<>" <>${ENVOY_END}`, "iso", 1),
      text(`${ENVOY_START} <>${ENVOY_END}`, "iso", 1),
    ],
  },
  squid: {
    writtenBy: "Squid (native format)",
    sample:
      "1795255200.310    921 203.0.113.7 TCP_MISS/200 512 GET http://shop.example/cart?id=7 - " +
      "HIER_DIRECT/10.0.0.1 text/html",
    variants: [text(SQUID_LAYOUT, "epoch", 1)],
  },
  // The default format without colors.
  gin: {
    writtenBy: "Gin (Go)",
    sample:
      '[GIN] 2026/11/21 - 10:00:00 | 200 |      2.31ms |     203.0.113.7 | GET      "/cart?id=7"',
    variants: [
      text(`${GIN_LAYOUT} <>"<target>"`, "layout", 1, GIN_OPTIONS),
      text(`${GIN_LAYOUT} <~target>`, "layout", 1, GIN_OPTIONS),
    ],
  },
  python: {
    writtenBy: "Uvicorn with `%(asctime)s`, Werkzeug, `http.server`, Django's `runserver`",
    sample: '203.0.113.7 - - [21/Nov/2026 10:00:00] "GET /cart?id=7 HTTP/1.1" 200 512',
    variants: [
      text('<client> - - [<time>] "<request>" <status> ', "layout", 1, PYTHON_DATED),
      text('[<time>] "<request>" <status> ', "layout", 1, PYTHON_DATED),
      text('<time> <> <~client> - "<request>" <status>', "iso", 1, { clientHasPort: true }),
    ],
  },
  rails: {
    writtenBy: "Rails (its `Started …` lines, which contain no status)",
    sample: 'Started GET "/cart?id=7" for 203.0.113.7 at 2026-11-21 10:00:00 +0000',
    variants: [
      text(RAILS_LAYOUT, "iso", 1),
      text(`<>, [<>] <>${RAILS_LAYOUT}`, "iso", 1),
    ],
  },
  // The timestamp is in a pair or at the start of the line.
  logfmt: {
    writtenBy: "Heroku's router, Lograge (Rails), Go services (logfmt)",
    sample: "2026-11-21T10:00:00.310000+00:00 heroku[router]: at=info method=GET " +
      'path="/cart?id=7" host=shop.example fwd="203.0.113.7" dyno=web.1 connect=0ms service=2ms ' +
      "status=200 bytes=512 protocol=https",
    variants: (["iso", "epoch", "clf"] as const).map((time): Variant => ({
      lines: { pairs: LOGFMT_FIELDS },
      time,
      escapes: "json",
      durationUnit: 1,
    })),
  },
} as const satisfies Readonly<Record<string, NamedFormat>>;
