import { jsonVariants, type NamedFormat } from "./named_format.ts";

/** Akamai DataStream 2 log. Its paths have no leading slash. */
export const akamai: NamedFormat = {
  writtenBy: "Akamai (DataStream 2, JSON)",
  sample: '{"version":1,"reqTimeSec":"1795255200.310","cliIP":"203.0.113.7","reqMethod":"GET",' +
    '"reqHost":"shop.example","reqPath":"cart","queryStr":"id=7","statusCode":"200",' +
    '"bytes":"512","transferTimeMSec":"2","UA":"curl%2F8.5"}',
  variants: jsonVariants(
    "akamai",
    { epoch: ["reqTimeSec"] },
    {
      cliIP: "client",
      reqMethod: "method",
      reqHost: "host",
      reqPath: "path",
      queryStr: "query",
      statusCode: "status",
      bytes: "bytes",
      UA: "agent",
      transferTimeMSec: "duration",
    },
    1,
    { hasRelativePath: true },
  ),
};
