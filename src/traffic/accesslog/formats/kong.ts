import { jsonVariants, type NamedFormat } from "./named_format.ts";

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
