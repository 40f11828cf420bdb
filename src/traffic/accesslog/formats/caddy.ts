import { JsonSplitter } from "../read/json_splitter.ts";
import type { JsonFields } from "../read/line_splitter.ts";
import { PrefixedJsonSplitter } from "../read/prefixed_json_splitter.ts";
import type { LogFormat } from "../read/log_format.ts";
import type { TimeNotation } from "../read/times/notations.ts";
import type { NamedFormat } from "./named_format.ts";

const FIELDS: JsonFields = {
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
    variant("epoch"),
    variant("iso"),
    variant("clf"),
    ...(["iso", "epoch", "clf"] as const).map((time) => ({
      ...variant(time),
      splitter: () => new PrefixedJsonSplitter(FIELDS),
    })),
  ],
};

function variant(time: TimeNotation): LogFormat {
  return {
    name: "caddy",
    time,
    escapes: "json",
    durationUnit: 1_000,
    splitter: () => new JsonSplitter(FIELDS),
  };
}
