import { jsonVariants, type NamedFormat } from "./named_format.ts";

/** Format of Vercel's log drains. */
export const vercel: NamedFormat = {
  writtenBy: "Vercel (log drains)",
  sample:
    '{"id":"1","timestamp":1795255200310,"source":"lambda","proxy":{"timestamp":1795255200310,' +
    '"method":"GET","host":"shop.example","path":"/cart?id=7","userAgent":["curl/8.5"],' +
    '"clientIp":"203.0.113.7","statusCode":200}}',
  variants: jsonVariants("vercel", { epoch: ["timestamp"] }, {
    "proxy.method": "method",
    "proxy.host": "host",
    "proxy.path": "target",
    "proxy.userAgent": "agent",
    "proxy.referer": "referer",
    "proxy.clientIp": "client",
    "proxy.statusCode": "status",
  }, 1),
};
