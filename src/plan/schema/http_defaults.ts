import * as z from "zod";
import { STATUS_RANGE } from "../text/metrics.ts";
import type { CheckContext } from "../rules/check_context.ts";
import { checkBaseUrl, checkHostAddress, checkProxy } from "../rules/urls.ts";
import { defaultHeaders } from "../values/headers.ts";
import { withRule } from "../values/schema_walk.ts";
import { countOrZero, filePath, shortDuration, templateSchema } from "../values/values.ts";

const tlsVersion = z.enum(["1.2", "1.3"]);

const tls = z.strictObject({
  insecure_skip_verify: z.boolean().optional().describe("Accept any certificate (default: false)"),
  ca_file: filePath.optional().meta({
    description: "PEM file with the certificate authorities to trust",
    examples: ["ca.pem"],
  }),
  cert_file: filePath.optional().meta({
    description: "PEM file with the client certificate",
    examples: ["client.pem"],
  }),
  key_file: filePath.optional().meta({
    description: "PEM file with the private key of the client certificate",
    examples: ["client-key.pem"],
  }),
  server_name: z.string().optional().meta({
    description: "TLS server name to send (SNI) and to verify (default: the host of the URL)",
    examples: ["shop.example"],
  }),
  min_version: tlsVersion.optional().describe("Minimum TLS version (default: 1.2)"),
  max_version: tlsVersion.optional().describe("Maximum TLS version (default: 1.3)"),
});

function checkVersions(
  context: CheckContext,
  { min_version, max_version }: { readonly min_version?: unknown; readonly max_version?: unknown },
): void {
  if (min_version !== "1.3" || max_version !== "1.2") return;
  context.report("bad-value", "`min_version` is above `max_version`", { below: ["min_version"] });
}

/** The schema of `defaults.http`, which applies to every request. */
export const httpDefaults = z.strictObject({
  base_url: withRule(templateSchema.meta({}), {
    notation: "template",
    check: checkBaseUrl,
  }).optional().meta({
    description: "Base URL for relative URLs, such as `https://shop.example`",
    examples: ["https://shop.example"],
  }),
  headers: defaultHeaders.optional(),
  timeout: shortDuration("Timeout for a whole request (default: 30s)").optional(),
  connect_timeout: shortDuration(
    "Timeout for opening a connection, including DNS, proxy and TLS (default: `timeout`)",
  ).optional(),
  proxy: z.union([
    withRule(z.string(), { notation: "URL", check: checkProxy }),
    z.literal(false),
  ]).optional().meta({
    description:
      "URL of an HTTP proxy, such as `http://user:password@proxy.example:3128`, or `false` for none " +
      "(default: the environment variables `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`)",
    examples: ["http://proxy.example:3128"],
  }),
  auth: z.enum(["basic", "digest"]).optional().describe(
    "Authentication scheme for the `user:password@` in a URL (default: basic)",
  ),
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
  ).min(1).optional().meta({
    description:
      "Statuses that do not fail a request: codes, and ranges such as `2xx` or `200-399` (default: all " +
      "below 400); a `status` assertion of a request takes precedence",
    examples: [["2xx", "3xx", 404]],
  }),
  version: z.enum(["auto", "http1", "http2"]).optional().describe(
    "HTTP version; `auto` negotiates it with ALPN (default: auto)",
  ),
  compression: z.boolean().optional().describe("Accept compressed responses (default: true)"),
  keep_alive: z.boolean().optional().describe("Reuse connections (default: true)"),
  cookies: z.boolean().optional().describe("Keep a cookie jar (RFC 6265) per VU (default: true)"),
  discard_response_bodies: z.boolean().optional().describe(
    "Discard response bodies after reading them (default: false)",
  ),
  hosts: z.record(z.string(), withRule(z.string(), { check: checkHostAddress })).optional()
    .meta({
      description:
        "Addresses to connect to instead of resolving a name: `name[:port]` → `ip[:port]`, or " +
        "`unix:PATH` for a Unix socket",
      examples: [{ "shop.example": "127.0.0.1:8080" }],
    }),
  tls: withRule(tls, { check: checkVersions }).optional().describe("TLS settings"),
});

/** The value of `defaults.http` in a plan. */
export type HttpDefaults = z.infer<typeof httpDefaults>;
