import { UsageError } from "../../../base/errors.ts";
import { didYouMean } from "../../../base/nearest.ts";
import type { FieldNames, LogField, LogFormat } from "../read/log_format.ts";
import type { TimeNotation } from "../read/notations.ts";
import { expandLayout } from "../read/time_layout.ts";

/** One of several ways in which a server writes a format. It gets the name of the format. */
export type Variant = Omit<LogFormat, "name">;

export type FormatOptions = Partial<
  Pick<LogFormat, "clientHasPort" | "hasRelativePath" | "layout">
>;

function clf(begins: "client" | "host"): Variant {
  return { lines: { clf: begins }, time: "clf", escapes: "log", durationUnit: 1 };
}

/** `text` is in the syntax of `parseLayout`. `durationUnit` is in milliseconds. */
function text(
  text: string,
  time: TimeNotation,
  durationUnit: number,
  options: FormatOptions = {},
): Variant {
  return { lines: { text }, time, escapes: "log", durationUnit, ...options };
}

/** Durations are in seconds if they have decimals. */
function columns(separator: " " | "\t", columns: string): Variant {
  return {
    lines: { columns, separator },
    time: "clock",
    escapes: "w3c",
    durationUnit: 1,
    decimalUnit: 1_000,
  };
}

/** Lines in the common format also match. */
const CLF: Variant = clf("client");

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
/** A layout for `21/Nov/2026 10:00:00`, because `clf` would also match the common format. */
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

const NAMES: readonly string[] = [
  ...["time", "request", "method", "url", "path", "query", "status", "bytes", "client"],
  ...["forwarded", "host", "agent", "referer", "seconds", "milliseconds"],
];
/** Milliseconds, by the names of their fields. */
const UNITS: Readonly<Record<string, number>> = {
  seconds: 1_000,
  milliseconds: 1,
  nanoseconds: 1e-6,
};
const EXAMPLE = "time=ts,method=req.method,url=req.url,status=res.code";

type NamedMember = readonly [name: string, member: string];

/** JSON objects, perhaps after other text (`isPrefixed`): a variant for each notation. */
function variants(
  times: Partial<Readonly<Record<TimeNotation, readonly string[]>>>,
  members: readonly NamedMember[],
  { isPrefixed, ...options }: FormatOptions & { readonly isPrefixed?: boolean } = {},
): Variant[] {
  const fieldOf = (name: string) =>
    (name === "url" ? "target" : name in UNITS ? "duration" : name) as LogField;
  const fields = Object.fromEntries(members.map(([name, member]) => [member, fieldOf(name)]));
  const [unit = "seconds"] = members.map(([name]) => name).filter((name) => name in UNITS);
  return Object.entries(times).map(([time, paths]) => ({
    lines: {
      json: { ...Object.fromEntries(paths.map((path) => [path, "time" as const])), ...fields },
      ...(isPrefixed && { isPrefixed }),
    },
    time: time as TimeNotation,
    escapes: "json",
    durationUnit: UNITS[unit],
    ...options,
  }));
}

/** `members` is like `--json`; `times` has comma-separated members by notation. */
function json(
  times: Partial<Readonly<Record<TimeNotation, string>>>,
  members: string,
  options?: Parameters<typeof variants>[2],
): Variant[] {
  const pairs = members.split(",").map((pair) => pair.split("=", 2) as [string, string]);
  const paths = Object.entries(times).map(([time, text]) => [time, text.split(",")]);
  return variants(Object.fromEntries(paths), pairs, options);
}

const CADDY = "logger=logger,status=status,seconds=duration,bytes=size,client=request.remote_ip," +
  "forwarded=request.client_ip,method=request.method,url=request.uri,host=request.host," +
  "agent=request.headers.User-Agent,referer=request.headers.Referer";

const TIMES = "time,timestamp,@timestamp,ts,datetime,date,requestTime";

/** Detection tries them in this order; the first of those with the most matching lines wins. */
export const NAMED_FORMATS: Readonly<Record<string, readonly Variant[]>> = {
  vhost_combined: [clf("host")],
  combined: [CLF],
  common: [CLF],
  // Caddy's console format puts the timestamp before the JSON object. Its option `time_format`
  // selects the notation.
  caddy: [
    ...json({ epoch: "ts", iso: "ts", clf: "ts" }, CADDY),
    ...json({ iso: "ts", epoch: "ts", clf: "ts" }, CADDY, { isPrefixed: true }),
  ],
  // Traefik's `common` format is the combined format with a duration at the end of the line.
  traefik: [
    ...json(
      { iso: "StartUTC" },
      "client=ClientHost,method=RequestMethod,url=RequestPath,host=RequestHost," +
        "status=DownstreamStatus,bytes=DownstreamContentSize,nanoseconds=Duration," +
        "agent=request_User-Agent,referer=request_Referer",
    ),
    CLF,
  ],
  ecs: json(
    { iso: "@timestamp", epoch: "@timestamp" },
    "method=http.request.method,referer=http.request.referrer,status=http.response.status_code," +
      "bytes=http.response.body.bytes,path=url.path,query=url.query,url=url.original," +
      "host=url.domain,client=source.ip,client=source.address,client=client.ip," +
      "client=client.address,agent=user_agent.original,nanoseconds=event.duration",
  ),
  gcp: json(
    { iso: "timestamp" },
    "method=httpRequest.requestMethod,url=httpRequest.requestUrl,status=httpRequest.status," +
      "bytes=httpRequest.responseSize,agent=httpRequest.userAgent,client=httpRequest.remoteIp," +
      "seconds=httpRequest.latency,referer=httpRequest.referer",
  ),
  azure: [
    ...json(
      { iso: "time" },
      "method=properties.httpMethod,url=properties.requestUri,client=properties.clientIp," +
        "client=properties.clientIP,status=properties.httpStatusCode," +
        "status=properties.httpStatus,seconds=properties.timeTaken,agent=properties.userAgent",
    ),
    ...json(
      { iso: "time" },
      "method=properties.CsMethod,path=properties.CsUriStem,query=properties.CsUriQuery," +
        "client=properties.CIp,status=properties.ScStatus,milliseconds=properties.TimeTaken," +
        "agent=properties.UserAgent,host=properties.CsHost",
    ),
  ],
  cloudflare: json(
    { iso: "EdgeStartTimestamp", epoch: "EdgeStartTimestamp" },
    "client=ClientIP,host=ClientRequestHost,method=ClientRequestMethod,url=ClientRequestURI," +
      "agent=ClientRequestUserAgent,referer=ClientRequestReferer,bytes=EdgeResponseBytes," +
      "status=EdgeResponseStatus,milliseconds=EdgeTimeToFirstByteMs",
  ),
  akamai: json(
    { epoch: "reqTimeSec" },
    "client=cliIP,method=reqMethod,host=reqHost,path=reqPath,query=queryStr,status=statusCode," +
      "bytes=bytes,agent=UA,milliseconds=transferTimeMSec",
    { hasRelativePath: true },
  ),
  kong: json(
    { epoch: "started_at" },
    "milliseconds=latencies.request,method=request.method,url=request.uri," +
      "agent=request.headers.user-agent,host=request.headers.host,status=response.status," +
      "bytes=response.size,client=client_ip",
  ),
  vercel: json(
    { epoch: "timestamp" },
    "method=proxy.method,host=proxy.host,url=proxy.path,agent=proxy.userAgent," +
      "referer=proxy.referer,client=proxy.clientIp,status=proxy.statusCode",
  ),
  "node-json": json(
    { epoch: "time,timestamp", iso: "time,timestamp" },
    "method=req.method,url=req.url,client=req.remoteAddress,agent=req.headers.user-agent," +
      "host=req.headers.host,forwarded=req.headers.x-forwarded-for,status=res.statusCode," +
      "milliseconds=responseTime,milliseconds=response-time",
  ),
  // Members are named after variables of nginx, or have common shorter names.
  "nginx-json": json(
    {
      iso: "time_iso8601,time,timestamp,@timestamp,time_local,ts",
      epoch: "msec,time,timestamp,@timestamp,ts",
      clf: "time_local,time,timestamp,@timestamp,ts",
    },
    "client=remote_addr,client=client_ip,request=request,method=request_method,method=method," +
      "url=request_uri,path=uri,path=path,url=url,query=args,status=status," +
      "bytes=body_bytes_sent,bytes=bytes_sent,seconds=request_time,referer=http_referer," +
      "referer=referer,agent=http_user_agent,agent=user_agent,host=host,host=http_host," +
      "forwarded=http_x_forwarded_for,forwarded=x_forwarded_for,forwarded=http_x_real_ip," +
      "forwarded=http_cf_connecting_ip",
  ),
  json: json(
    { iso: TIMES, epoch: `${TIMES},msec`, clf: `${TIMES},time_local` },
    "client=remote_addr,client=client_ip,client=clientIp,client=remote_ip,client=remoteIp," +
      "client=ip,client=client,method=request_method,method=requestMethod,method=http_method," +
      "method=httpMethod,method=method,method=verb,request=request,url=request_uri," +
      "url=requestUri,url=request_url,url=url,url=requestUrl,path=uri,path=path,query=args," +
      "query=query,query=query_string,status=status,status=status_code,status=statusCode," +
      "status=response_status,status=response_code,status=http_status,host=host," +
      "referer=referer,agent=user_agent,agent=userAgent,forwarded=x_forwarded_for," +
      "forwarded=xForwardedFor",
  ),
  alb: [text(`<> ${ELB_LAYOUT}`, "iso", 1_000, { clientHasPort: true })],
  elb: [text(ELB_LAYOUT, "iso", 1_000, { clientHasPort: true })],
  s3: [text(S3_LAYOUT, "clf", 1)],
  cloudfront: [columns("\t", CLOUDFRONT_COLUMNS)],
  iis: [columns(" ", IIS_COLUMNS)],
  // Its timestamps have milliseconds and no zone.
  haproxy: [text(HAPROXY_LAYOUT, "clf", 1, { clientHasPort: true })],
  // The default format of Envoy, or of Istio before or since 1.9.
  envoy: [
    text(`${ENVOY_START} "<>" "<>" <>${ENVOY_END}`, "iso", 1),
    text(`${ENVOY_START} <> <> "<>" <>${ENVOY_END}`, "iso", 1),
    text(`${ENVOY_START} <>${ENVOY_END}`, "iso", 1),
  ],
  squid: [text(SQUID_LAYOUT, "epoch", 1)],
  // The default format without colors.
  gin: [
    text(`${GIN_LAYOUT} <>"<target>"`, "layout", 1, GIN_OPTIONS),
    text(`${GIN_LAYOUT} <~target>`, "layout", 1, GIN_OPTIONS),
  ],
  python: [
    text('<client> - - [<time>] "<request>" <status> ', "layout", 1, PYTHON_DATED),
    text('[<time>] "<request>" <status> ', "layout", 1, PYTHON_DATED),
    text('<time> <> <~client> - "<request>" <status>', "iso", 1, { clientHasPort: true }),
  ],
  rails: [
    text(RAILS_LAYOUT, "iso", 1),
    text(`<>, [<>] <>${RAILS_LAYOUT}`, "iso", 1),
  ],
  // The timestamp is in a pair or at the start of the line.
  logfmt: (["iso", "epoch", "clf"] as const).map((time): Variant => ({
    lines: { pairs: LOGFMT_FIELDS },
    time,
    escapes: "json",
    durationUnit: 1,
  })),
};

/** A variant for each timestamp notation. Throws `UsageError` if `text` is invalid. */
export function parseJsonOption(text: string): Variant[] {
  const pairs = text.split(",").map((pair): NamedMember => {
    const [, name, member] = /^\s*(\w+)=(.+?)\s*$/.exec(pair) ?? [];
    if (name === undefined) throw invalid(`"${pair}" is not NAME=MEMBER`);
    if (NAMES.includes(name)) return [name, member];
    const hint = didYouMean(name, NAMES);
    throw invalid(`${name} is not a field${hint && `; ${hint}`}`);
  });
  const has = (name: string) => pairs.some(([known]) => known === name);
  if (!has("time")) throw invalid("`time` is missing");
  if (!has("request") && !(has("method") && (has("url") || has("path")))) {
    throw invalid("it needs `request`, or `method` with `url` or `path`");
  }
  if (has("seconds") && has("milliseconds")) {
    throw invalid("`seconds` and `milliseconds` cannot be combined");
  }
  const times = pairs.filter(([name]) => name === "time").map(([, member]) => member);
  const others = pairs.filter(([name]) => name !== "time");
  return variants({ iso: times, epoch: times, clf: times }, others);
}

function invalid(reason: string): UsageError {
  return new UsageError(
    `--json cannot be used: ${reason}; expected NAME=MEMBER pairs such as ${EXAMPLE}, where NAME is ` +
      `one of ${NAMES.join(", ")}`,
  );
}
