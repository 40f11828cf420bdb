import { jsonVariants, type NamedFormat } from "./named_format.ts";

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
