import { z } from "zod";
import { STATUS_RANGE } from "../text/status_range.ts";
import { checkBaseUrl } from "../rules/files_and_urls.ts";
import { withRule } from "../values/rule.ts";
import {
  countOrZero,
  defaultHeaders,
  filePath,
  shortDuration,
  templateSchema,
} from "../values/values.ts";

const tls = z.strictObject({
  insecure_skip_verify: z.boolean().optional().describe("Accept any certificate (default: false)"),
  ca_file: filePath.optional().describe("PEM file with the certificate authorities to trust"),
  cert_file: filePath.optional().describe("PEM file with the client certificate"),
  key_file: filePath.optional().describe("PEM file with the private key of the client certificate"),
  server_name: z.string().optional().describe(
    "TLS server name to send (SNI) and to verify (default: the host of the URL)",
  ),
});

/** The schema of `defaults.http`, which applies to every request. */
export const httpDefaults = z.strictObject({
  base_url: withRule(templateSchema.meta({}), {
    notation: "text with `${…}`",
    check: checkBaseUrl,
  }).optional().describe("Base URL for relative URLs, such as `https://shop.example`"),
  headers: defaultHeaders.optional(),
  timeout: shortDuration("Timeout of a whole request (default: 30s)").optional(),
  follow_redirects: z.boolean().optional().describe("Follow 3xx responses (default: true)"),
  max_redirects: countOrZero.optional().describe(
    "Maximum number of redirects per request (default: 10)",
  ),
  expected_statuses: z.array(
    z.union([
      z.int().min(100).max(599),
      z.string().regex(
        STATUS_RANGE,
        "expected a status such as 404, or a range such as 2xx or 200-399",
      ),
    ]),
  ).min(1).optional().describe(
    "Statuses that do not fail a request: codes, and ranges such as `2xx` or `200-399` (default: all " +
      "below 400); a `status` assertion of a request takes precedence",
  ),
  version: z.enum(["auto", "http1", "http2"]).optional().describe(
    "HTTP version; `auto` negotiates it with ALPN (default: auto)",
  ),
  compression: z.boolean().optional().describe("Accept compressed responses (default: true)"),
  keep_alive: z.boolean().optional().describe("Reuse connections (default: true)"),
  cookies: z.boolean().optional().describe("Keep a cookie jar (RFC 6265) per VU (default: true)"),
  discard_response_bodies: z.boolean().optional().describe(
    "Discard response bodies after reading them (default: false)",
  ),
  hosts: z.record(z.string(), z.string()).optional().describe(
    "Addresses to connect to instead of resolving a name: `name[:port]` → `ip[:port]`",
  ),
  tls: tls.optional().describe("TLS settings"),
});

/** The value of `defaults.http` in a plan. */
export type HttpDefaults = z.infer<typeof httpDefaults>;
