import { type Sample, stamp } from "./sample.ts";

const combined = (r: Sample) =>
  `${r.client} - - [${
    stamp.clf(r)
  }] "${r.method} ${r.target} HTTP/1.1" ${r.status} ${r.bytes} "${r.referer}" "${r.agent}"`;
const common = (r: Sample) =>
  `${r.client} - - [${stamp.clf(r)}] "${r.method} ${r.target} HTTP/1.1" ${r.status} ${r.bytes}`;
const url = (r: Sample) => `https://shop.example${r.target}`;
const path = (r: Sample) => r.target.replace(/\?.*/, "");
const query = (r: Sample) => r.target.split("?")[1] ?? "";
const json = JSON.stringify;
const httplog = (r: Sample) =>
  `${r.client}:33317 [${
    stamp.clfMs(r)
  }] www static/srv1 0/0/1/1/${r.ms} ${r.status} ${r.bytes} - - ` +
  `---- 1/1/0/0/0 0/0 "${r.method} ${r.target} HTTP/1.1"`;
const caddy = (r: Sample, ts: string) =>
  `{"level":"info","ts":${ts},"logger":"http.log.access","msg":"handled request","request":{"remote_ip":` +
  `"${r.client}","client_ip":"${r.client}","proto":"HTTP/2.0","method":"${r.method}","host":"shop.example",` +
  `"uri":"${r.target}","headers":{"User-Agent":["${r.agent}"]}},"duration":${
    r.ms / 1_000
  },"size":${r.bytes},"status":${r.status}}`;
const ecs = (r: Sample) => ({
  http: {
    request: { method: r.method },
    response: { status_code: r.status, body: { bytes: r.bytes } },
  },
  url: { path: path(r), ...(query(r) && { query: query(r) }) },
  source: { ip: r.client },
  user_agent: { original: r.agent },
  event: { duration: r.ms * 1e6 },
});
const w3cColumns = "date time s-ip cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip " +
  "cs(User-Agent) cs(Referer) sc-status sc-substatus sc-win32-status time-taken";

/** A log format, with a function that writes log lines as a server does. */
export interface Writer {
  /** Returns the log line for a request. */
  readonly line: (request: Sample, index: number) => string;
  /** Lines before the first request. */
  readonly head?: readonly string[];
  /** Value of `--log-format` that is needed to read the log; absent if the format is detected. */
  readonly option?: string;
  /** Fields of a request that the format does not contain. */
  readonly lacks?: readonly ("client" | "status" | "query")[];
}

/**
 * Log formats, as documented by their vendors. The lines are written independently of the readers
 * in `src`, so that tests can compare what is read with what was written.
 */
export const WRITERS: Readonly<Record<string, Writer>> = {
  "nginx": { line: combined },
  "nginx-forwarded": { line: (r) => `${combined(r)} "${r.client}"` },
  "ingress-nginx": {
    line: (r) =>
      `${combined(r)} 312 0.002 [shop-web-80] [] 10.0.0.1:8080 ${r.bytes} 0.002 ${r.status} 6ca6`,
  },
  "apache-common": { line: common },
  "apache-combined": { line: combined },
  "apache-vhost": { line: (r) => `shop.example:443 ${combined(r)}` },
  "apache-combinedio": { line: (r) => `${combined(r)} 512 2048` },
  "apache-epoch": {
    line: (r) =>
      `${r.client} ${stamp.seconds(r)} "${r.method} ${r.target} HTTP/1.1" ${r.status} ${r.bytes}`,
    option: '%h %{sec}t "%r" %>s %b',
  },
  "apache-strftime": {
    line: (r) =>
      `${r.client} [${stamp.spaced(r)}] "${r.method} ${r.target} HTTP/1.1" ${r.status} ${r.bytes}`,
    option: '%h [%{%Y-%m-%d %H:%M:%S}t] "%r" %>s %b',
  },
  "lighttpd": {
    line: (r) => combined(r).replace(" - - ", " shop.example - "),
    option: "combined",
  },
  "varnishncsa": {
    line: (r) => combined(r).replace(`"${r.method} /`, `"${r.method} http://shop.example/`),
  },
  "squid-combined": {
    line: (r) =>
      `${combined(r).replace(` ${r.target} `, ` http://shop.example${r.target} `)} TCP_MISS:DIRECT`,
  },
  "squid": {
    line: (r) =>
      `${stamp.decimal(r)} ${
        String(r.ms).padStart(6)
      } ${r.client} TCP_MISS/${r.status} ${r.bytes} ` +
      `${r.method} http://shop.example${r.target} - HIER_DIRECT/10.0.0.1 text/html`,
  },
  "haproxy-clf": {
    line: (r) =>
      `${r.client} - - [${
        stamp.clf(r)
      }] "${r.method} ${r.target} HTTP/1.1" ${r.status} ${r.bytes} "" "" ` +
      `33317 655 "www" "static" "srv1" 0 0 1 1 ${r.ms} ---- 1 1 0 0 0 0 0 "" "" `,
  },
  "haproxy": { line: httplog },
  "haproxy-syslog": {
    line: (r) => `${stamp.syslog(r)} lb haproxy[14389]: ${httplog(r)}`,
  },
  "haproxy-https": {
    line: (r) =>
      `${httplog(r)} 0/0000000000000000/0/0/0 shop.example/TLSv1.3/TLS_AES_256_GCM_SHA384`,
  },
  "envoy": {
    line: (r) =>
      `[${stamp.isoMs(r)}] "${r.method} ${r.target} HTTP/2" ${r.status} - 0 ${r.bytes} ${r.ms} 1 ` +
      `"${r.client}" "${r.agent}" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "shop.example" "10.0.0.1:80"`,
  },
  "istio": {
    line: (r) =>
      `[${stamp.isoMs(r)}] "${r.method} ${r.target} HTTP/2" ${r.status} - via_upstream - "-" 0 ` +
      `${r.bytes} ${r.ms} 1 "${r.client}" "${r.agent}" "cc21d9b0-cf5c" "shop.example" "10.0.0.1:80" ` +
      "inbound|80|| 127.0.0.6:4321 10.0.0.2:80 10.0.0.3:5000 outbound_.80_._.web default",
  },
  "tomcat": { line: common },
  "tomcat-combined": { line: (r) => `${combined(r)} ${r.ms}` },
  "jetty": { line: (r) => `${combined(r)} ${r.ms}` },
  "gunicorn": { line: combined },
  "gorilla": { line: combined },
  "morgan-combined": { line: combined },
  "spring-reactor": {
    line: (r) =>
      `${stamp.isoMs(r)}  INFO 1 --- [reactor-http-1] r.n.http.server.AccessLog : ${
        common(r)
      } ${r.ms}`,
  },
  "traefik": { line: (r) => `${combined(r)} 17 "web@docker" "http://10.0.0.1:80" ${r.ms}ms` },
  "traefik-json": {
    line: (r) =>
      json({
        ClientHost: r.client,
        DownstreamContentSize: r.bytes,
        DownstreamStatus: r.status,
        Duration: r.ms * 1e6,
        RequestHost: "shop.example",
        RequestMethod: r.method,
        RequestPath: r.target,
        StartUTC: stamp.isoMs(r),
        time: stamp.iso(r),
      }),
  },
  "openlitespeed": { line: (r) => `"${combined(r)}"` },
  "api-gateway-clf": { line: common },
  "api-gateway-json": {
    line: (r) =>
      json({
        requestId: "c6af9ac6",
        ip: r.client,
        requestTime: stamp.clf(r),
        httpMethod: r.method,
        path: r.target,
        status: String(r.status),
        protocol: "HTTP/1.1",
        responseLength: String(r.bytes),
      }),
  },
  "uvicorn-asctime": {
    line: (r) =>
      `${
        stamp.comma(r)
      } INFO:     ${r.client}:52345 - "${r.method} ${r.target} HTTP/1.1" ${r.status}`,
  },
  "werkzeug": {
    line: (r) =>
      `${r.client} - - [${stamp.clfSpaced(r)}] "${r.method} ${r.target} HTTP/1.1" ${r.status} -`,
  },
  "python-http": {
    line: (r) =>
      `${r.client} - - [${stamp.clfSpaced(r)}] "${r.method} ${r.target} HTTP/1.1" ${r.status} -`,
  },
  "django-runserver": {
    line: (r) =>
      `[${stamp.clfSpaced(r)}] "${r.method} ${r.target} HTTP/1.1" ${r.status} ${r.bytes}`,
    lacks: ["client"],
  },
  "gin": {
    line: (r) =>
      `[GIN] ${stamp.gin(r)} | ${r.status} | ${String(r.ms).padStart(10)}ms | ${
        r.client.padStart(15)
      } | ${r.method.padEnd(8)} "${r.target}"`,
  },
  "rails": {
    line: (r) => `Started ${r.method} "${r.target}" for ${r.client} at ${stamp.spaced(r)} +0000`,
    lacks: ["status"],
  },
  "rails-logger": {
    line: (r) =>
      `I, [${
        stamp.plain(r)
      }.310123 #1234]  INFO -- : [6ca6] Started ${r.method} "${r.target}" for ` +
      `${r.client} at ${stamp.spaced(r)} +0000`,
    lacks: ["status"],
  },
  "lograge": {
    line: (r) =>
      `I, [${
        stamp.plain(r)
      }.310123 #1234]  INFO -- : method=${r.method} path=${r.target} format=html ` +
      `controller=Cart action=show status=${r.status} duration=${r.ms}.31 view=1.02 db=0.51`,
    lacks: ["client"],
  },
  "heroku": {
    line: (r) =>
      `${stamp.isoMs(r).replace("Z", "+00:00")} heroku[router]: at=info method=${r.method} ` +
      `path="${r.target}" host=shop.example request_id=8601b555 fwd="${r.client}" dyno=web.1 ` +
      `connect=0ms service=${r.ms}ms status=${r.status} bytes=${r.bytes} protocol=https`,
  },
  "logfmt": {
    line: (r) =>
      `time=${stamp.iso(r)} level=info msg="request done" method=${r.method} path=${r.target} ` +
      `status=${r.status} duration=${r.ms}ms remote_ip=${r.client}`,
  },
  "alb": {
    line: (r) =>
      `https ${
        stamp.isoMs(r)
      } app/shop/50dc6c495c0c9188 ${r.client}:2817 10.0.0.1:80 0.000 0.001 0.000 ` +
      `${r.status} ${r.status} 34 ${r.bytes} "${r.method} https://shop.example:443${r.target} HTTP/1.1" ` +
      `"${r.agent}" ECDHE TLSv1.2 arn:aws:x "Root=1-2" "shop.example" "arn:y" 0 ${
        stamp.isoMs(r)
      } ` +
      '"forward" "-" "-" "10.0.0.1:80" "200" "-" "-"',
  },
  "elb": {
    line: (r) =>
      `${stamp.isoMs(r)} shop ${r.client}:2817 10.0.0.1:80 0.000073 0.001 0.000057 ${r.status} ` +
      `${r.status} 0 ${r.bytes} "${r.method} https://shop.example:443${r.target} HTTP/1.1" "${r.agent}" - -`,
  },
  "s3": {
    line: (r) =>
      `79a59df900b949e55d96a1e698fbaced shop [${stamp.clf(r)}] ${r.client} - 3E57427F3EXAMPLE ` +
      `REST.GET.OBJECT key "${r.method} ${r.target} HTTP/1.1" ${r.status} - ${r.bytes} ${r.bytes} ` +
      `${r.ms} 1 "${r.referer}" "${r.agent}" - Ke1b SigV4 TLS_AES AuthHeader shop.s3.amazonaws.com TLSv1.3`,
  },
  "cloudfront": {
    head: [
      "#Version: 1.0",
      "#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status " +
      "cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id " +
      "x-host-header cs-protocol cs-bytes time-taken",
    ],
    line: (r) =>
      [
        ...[stamp.date(r), stamp.time(r), "LAX1", r.bytes, r.client, r.method, "d1.cloudfront.net"],
        ...[path(r), r.status, r.referer, r.agent.replaceAll(" ", "%20"), query(r) || "-", "-"],
        ...["Hit", "SOX4", "d1.cloudfront.net", "https", 23, r.ms / 1_000],
      ].join("\t"),
  },
  "iis": {
    head: ["#Software: Microsoft Internet Information Services 10.0", `#Fields: ${w3cColumns}`],
    line: (r) =>
      `${stamp.date(r)} ${stamp.time(r)} 10.0.0.1 ${r.method} ${path(r)} ${
        query(r) || "-"
      } 443 - ` +
      `${r.client} ${r.agent.replaceAll(" ", "+")} ${r.referer} ${r.status} 0 0 ${r.ms}`,
  },
  "azure-app-service-w3c": {
    head: [
      "#Fields: date time s-sitename cs-method cs-uri-stem cs-uri-query s-port cs-username c-ip " +
      "cs(User-Agent) cs(Cookie) cs(Referer) cs-host sc-status sc-substatus sc-win32-status sc-bytes " +
      "cs-bytes time-taken",
    ],
    line: (r) =>
      `${stamp.date(r)} ${stamp.time(r)} SHOP ${r.method} ${path(r)} ${query(r) || "-"} 443 - ` +
      `${r.client} ${
        r.agent.replaceAll(" ", "+")
      } - ${r.referer} shop.example ${r.status} 0 0 ${r.bytes} 900 ${r.ms}`,
  },
  "azure-app-service-json": {
    line: (r) =>
      json({
        time: stamp.isoMs(r),
        category: "AppServiceHTTPLogs",
        properties: {
          CsMethod: r.method,
          CsUriStem: path(r),
          SPort: "443",
          CIp: r.client,
          UserAgent: r.agent,
          CsHost: "shop.example",
          ScStatus: r.status,
          ScBytes: r.bytes,
          TimeTaken: r.ms,
          ...(query(r) && { CsUriQuery: query(r) }),
        },
      }),
  },
  "azure-front-door": {
    line: (r) =>
      json({
        time: stamp.isoMs(r),
        category: "FrontDoorAccessLog",
        properties: {
          httpMethod: r.method,
          httpVersion: "2.0",
          requestUri: url(r).replace("example", "example:443"),
          clientIp: r.client,
          timeTaken: String(r.ms / 1_000),
          httpStatusCode: String(r.status),
          userAgent: r.agent,
        },
      }),
  },
  "gcp": {
    line: (r) =>
      json({
        httpRequest: {
          requestMethod: r.method,
          requestUrl: url(r),
          requestSize: "312",
          status: r.status,
          responseSize: String(r.bytes),
          userAgent: r.agent,
          remoteIp: r.client,
          latency: `${r.ms / 1_000}s`,
        },
        insertId: "1",
        timestamp: stamp.isoMs(r),
      }),
  },
  "ecs": { line: (r) => json({ "@timestamp": stamp.isoMs(r), ...ecs(r) }) },
  "ecs-flat": {
    line: (r) =>
      json({
        "@timestamp": stamp.isoMs(r),
        "http.request.method": r.method,
        "http.response.status_code": r.status,
        "url.original": r.target,
        "client.ip": r.client,
        "user_agent.original": r.agent,
      }),
  },
  "cloudflare": {
    line: (r) =>
      json({
        ClientIP: r.client,
        ClientRequestHost: "shop.example",
        ClientRequestMethod: r.method,
        ClientRequestURI: r.target,
        EdgeEndTimestamp: stamp.iso(r),
        EdgeResponseBytes: r.bytes,
        EdgeResponseStatus: r.status,
        EdgeStartTimestamp: stamp.iso(r),
        RayID: "3a6050bcbe121a87",
      }),
  },
  "cloudflare-unixnano": {
    line: (r) =>
      `{"ClientIP":"${r.client}","ClientRequestMethod":"${r.method}","ClientRequestURI":"${r.target}",` +
      `"EdgeResponseBytes":${r.bytes},"EdgeResponseStatus":${r.status},"EdgeStartTimestamp":${r.time}000000}`,
  },
  "kong": {
    line: (r) =>
      json({
        latencies: { request: r.ms, kong: 1, proxy: 1 },
        service: { host: "web", port: 80 },
        request: {
          querystring: {},
          size: 138,
          uri: r.target,
          url: `http://shop.example:8000${path(r)}`,
          headers: { host: "shop.example", "user-agent": r.agent },
          method: r.method,
        },
        client_ip: r.client,
        response: { headers: { "content-type": "text/html" }, status: r.status, size: r.bytes },
        started_at: r.time,
      }),
  },
  "bunyan": {
    line: (r) =>
      json({
        name: "shop",
        hostname: "web1",
        pid: 1,
        level: 30,
        req: {
          method: r.method,
          url: r.target,
          headers: { "user-agent": r.agent },
          remoteAddress: r.client,
          remotePort: 5000,
        },
        res: { statusCode: r.status },
        msg: "",
        time: stamp.isoMs(r),
        v: 0,
      }),
  },
  "pino-http": {
    line: (r) =>
      json({
        level: 30,
        time: r.time,
        req: { id: 1, method: r.method, url: r.target, remoteAddress: r.client },
        res: { statusCode: r.status, headers: {} },
        responseTime: r.ms,
        msg: "request completed",
      }),
  },
  "akamai": {
    line: (r) =>
      json({
        version: 1,
        cliIP: r.client,
        statusCode: String(r.status),
        reqTimeSec: stamp.decimal(r),
        bytes: String(r.bytes),
        UA: encodeURIComponent(r.agent),
        reqHost: "shop.example",
        reqMethod: r.method,
        reqPath: path(r).slice(1),
        ...(query(r) && { queryStr: query(r) }),
        transferTimeMSec: String(r.ms),
      }),
  },
  "vercel": {
    line: (r) =>
      json({
        id: "1",
        message: "",
        timestamp: r.time,
        source: "lambda",
        proxy: {
          timestamp: r.time,
          method: r.method,
          host: "shop.example",
          path: r.target,
          userAgent: [r.agent],
          clientIp: r.client,
          statusCode: r.status,
        },
      }),
  },
  "fastly": {
    line: (r) =>
      json({
        timestamp: stamp.plain(r),
        client_ip: r.client,
        host: "shop.example",
        url: r.target,
        request_method: r.method,
        response_status: r.status,
        response_body_size: r.bytes,
      }),
  },
  "caddy": { line: (r) => caddy(r, stamp.decimal(r)) },
  "caddy-milliseconds": { line: (r) => caddy(r, `${r.time}.25`) },
  "caddy-nanoseconds": { line: (r) => caddy(r, `${r.time}000000`) },
  "caddy-rfc3339": { line: (r) => caddy(r, `"${stamp.isoMs(r)}"`) },
  "caddy-console": {
    line: (r) =>
      `${stamp.slashed(r)}\tINFO\thttp.log.access.log0\thandled request\t${
        caddy(r, "0").replace(
          '"level":"info","ts":0,"logger":"http.log.access","msg":"handled request",',
          "",
        )
      }`,
  },
  "docker-json": {
    line: (r) => json({ log: `${combined(r)}\n`, stream: "stdout", time: stamp.isoMs(r) }),
  },
  "cri": { line: (r) => `${stamp.isoMs(r)} stdout F ${combined(r)}` },
  "docker-compose": { line: (r) => `web-1  | ${combined(r)}` },
  "kubectl-timestamps": { line: (r) => `${stamp.isoMs(r)} ${combined(r)}` },
  "journald-short": { line: (r) => `${stamp.syslog(r)} web1 nginx[123]: ${combined(r)}` },
  "journald-json": {
    line: (r) =>
      json({ __REALTIME_TIMESTAMP: `${r.time}000`, MESSAGE: combined(r), PRIORITY: "6" }),
  },
  "syslog-3164": { line: (r) => `<190>${stamp.syslog(r)} web1 nginx: ${combined(r)}` },
  "syslog-5424": { line: (r) => `<190>1 ${stamp.isoMs(r)} web1 nginx 123 - - ${combined(r)}` },
  "stern": { line: (r) => `web-5d9f8 nginx ${combined(r)}` },
  "cloudwatch": { line: (r) => `${stamp.isoMs(r)} ${combined(r)}` },
  "nginx-json": {
    line: (r) =>
      json({
        time_iso8601: stamp.iso(r).replace("Z", "+00:00"),
        remote_addr: r.client,
        request: `${r.method} ${r.target} HTTP/1.1`,
        status: String(r.status),
        body_bytes_sent: String(r.bytes),
        request_time: String(r.ms / 1_000),
        http_user_agent: r.agent,
      }),
  },
};
