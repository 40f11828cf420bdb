import { jsonVariants, type NamedFormat } from "./named_format.ts";

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
