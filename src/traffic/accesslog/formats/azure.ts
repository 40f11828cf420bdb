import type { LogFormat } from "../read/log_format.ts";
import { jsonVariants, type NamedFormat } from "./named_format.ts";

/** Logs of Azure Front Door and Azure App Service, as diagnostic settings export them. */
export const azure: NamedFormat = {
  writtenBy: "Azure Front Door, Azure App Service (exported by diagnostic settings)",
  sample: '{"time":"2026-11-21T10:00:00.310Z","category":"FrontDoorAccessLog","properties":' +
    '{"httpMethod":"GET","requestUri":"https://shop.example:443/cart?id=7","clientIp":' +
    '"203.0.113.7","httpStatusCode":"200","timeTaken":"0.002","userAgent":"curl/8.5"}}',
  variants: [
    ...variants(1_000, {
      "properties.httpMethod": "method",
      "properties.requestUri": "target",
      "properties.clientIp": "client",
      "properties.clientIP": "client",
      "properties.httpStatusCode": "status",
      "properties.httpStatus": "status",
      "properties.timeTaken": "duration",
      "properties.userAgent": "agent",
    }),
    ...variants(1, {
      "properties.CsMethod": "method",
      "properties.CsUriStem": "path",
      "properties.CsUriQuery": "query",
      "properties.CIp": "client",
      "properties.ScStatus": "status",
      "properties.TimeTaken": "duration",
      "properties.UserAgent": "agent",
      "properties.CsHost": "host",
    }),
  ],
};

function variants(unit: number, fields: Parameters<typeof jsonVariants>[2]): LogFormat[] {
  return jsonVariants("azure", { iso: ["time"] }, fields, unit);
}
