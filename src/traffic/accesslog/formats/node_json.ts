import { jsonVariants, type NamedFormat } from "./named_format.ts";

/** JSON logs of Node.js servers, with the objects `req` and `res`. */
export const nodeJson: NamedFormat = {
  writtenBy: "pino-http, bunyan and similar Node.js loggers",
  sample: '{"level":30,"time":1795255200310,"req":{"method":"GET","url":"/cart?id=7",' +
    '"remoteAddress":"203.0.113.7","headers":{"user-agent":"curl/8.5"}},"res":{"statusCode":200},' +
    '"responseTime":2,"msg":"request completed"}',
  variants: jsonVariants("node-json", {
    epoch: ["time", "timestamp"],
    iso: ["time", "timestamp"],
  }, {
    "req.method": "method",
    "req.url": "target",
    "req.remoteAddress": "client",
    "req.headers.user-agent": "agent",
    "req.headers.host": "host",
    "req.headers.x-forwarded-for": "forwarded",
    "res.statusCode": "status",
    responseTime: "duration",
    "response-time": "duration",
  }, 1),
};
