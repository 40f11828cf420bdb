import type { LogFormat } from "../read/log_format.ts";
import type { LogField } from "../read/log_fields.ts";
import { LogfmtSplitter } from "../read/logfmt_splitter.ts";
import type { TimeNotation } from "../read/times/notations.ts";
import type { NamedFormat } from "./named_format.ts";

const FIELDS: Readonly<Record<string, LogField>> = {
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
        client === undefined ? FIELDS : { ...withoutForwarded(FIELDS), [client]: "forwarded" },
      ),
  };
}

function withoutForwarded(fields: Readonly<Record<string, LogField>>): Record<string, LogField> {
  return Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== "forwarded"));
}
