import { JsonSplitter } from "../read/json_splitter.ts";
import { COMBINED } from "./combined.ts";
import type { NamedFormat } from "./named_format.ts";

/**
 * Access log of Traefik, in its JSON format or its `common` format, which is the combined format
 * with a duration at the end of the line.
 */
export const traefik: NamedFormat = {
  writtenBy: "Traefik (`accessLog`, both formats)",
  sample: '{"ClientHost":"203.0.113.7","DownstreamContentSize":512,"DownstreamStatus":200,' +
    '"Duration":2000000,"RequestHost":"shop.example","RequestMethod":"GET",' +
    '"RequestPath":"/cart?id=7","StartUTC":"2026-11-21T10:00:00.5Z","request_User-Agent":"curl/8.5"}',
  variants: [
    {
      name: "traefik",
      time: "iso",
      escapes: "json",
      durationUnit: 1e-6,
      splitter: () =>
        new JsonSplitter({
          StartUTC: "time",
          ClientHost: "client",
          RequestMethod: "method",
          RequestPath: "target",
          RequestHost: "host",
          DownstreamStatus: "status",
          DownstreamContentSize: "bytes",
          Duration: "duration",
          "request_User-Agent": "agent",
          request_Referer: "referer",
        }),
    },
    { ...COMBINED, name: "traefik" },
  ],
};
