import { jsonVariants, type NamedFormat } from "./named_format.ts";

/** Names of members that contain timestamps. */
const TIMES = ["time", "timestamp", "@timestamp", "ts", "datetime", "date", "requestTime"];

/** JSON objects with member names that are common to many servers and services. */
export const flatJson: NamedFormat = {
  writtenBy: "API Gateway, Fastly and others (JSON with common member names)",
  sample: '{"timestamp":"2026-11-21T10:00:00","client_ip":"203.0.113.7","request_method":"GET",' +
    '"url":"/cart?id=7","response_status":200,"response_body_size":512}',
  variants: jsonVariants("json", {
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
};
