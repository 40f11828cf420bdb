import { W3cSplitter } from "../read/w3c_splitter.ts";
import type { NamedFormat } from "./named_format.ts";

/** Default columns of a log that has no `#Fields:` line. */
const COLUMNS =
  "date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status " +
  "cs(Referer) cs(User-Agent) cs-uri-query cs(Cookie) x-edge-result-type x-edge-request-id " +
  "x-host-header cs-protocol cs-bytes time-taken";

/** Standard log of CloudFront: the W3C extended format, separated by tabs. */
export const cloudfront: NamedFormat = {
  writtenBy: "AWS CloudFront (standard log), and other W3C logs with tabs",
  sample: "2026-11-21\t10:00:00\tLAX1\t512\t203.0.113.7\tGET\td1.cloudfront.net\t/cart\t200\t-\t" +
    "curl/8.5\tid=7\t-\tHit\tSOX4xwn4XV6Q4rgb7XiVGOHms==\td1.cloudfront.net\thttps\t23\t0.002",
  variants: [{
    name: "cloudfront",
    time: "clock",
    escapes: "w3c",
    durationUnit: 1,
    decimalUnit: 1_000,
    hasDirectives: true,
    hasFieldNames: true,
    splitter: (client) => new W3cSplitter("\t", COLUMNS, client),
  }],
};
