import { jsonVariants, type NamedFormat } from "./named_format.ts";

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
