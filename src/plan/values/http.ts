import * as z from "zod";
import { type CheckContext, inSection } from "../rules/check_context.ts";
import { checkTemplate } from "../rules/templates.ts";
import { STATUS_RANGE } from "../text/metrics.ts";
import { literalText } from "../text/template.ts";
import { withRule } from "./schema_walk.ts";
import {
  countOrZero,
  exactNumberSchema,
  filePath,
  shortDuration,
  templateSchema,
} from "./values.ts";

const headerMap = z.record(
  z.string(),
  z.union([templateSchema, exactNumberSchema, z.boolean(), z.null()]),
);

const defaultHeaders = withRule(
  headerMap.meta({
    description: "Headers of every request; null removes a header that the client adds",
    examples: [{ Accept: "application/json" }],
  }),
  { check: checkDefaultHeaders },
);

export const requestHeaders = withRule(
  headerMap.meta({
    description: "Headers, in addition to `defaults.http.headers`; null removes a header",
    examples: [{ "X-CSRF-Token": "${csrf}" }],
  }),
  { check: checkRequestHeaders },
);

/** Headers that the client adds, in lower case. A request with a body also has a `Content-Type`. */
const OF_CLIENT = ["user-agent", "accept-encoding", "content-type"];

/** Headers that only the client writes, in lower case, each with what to do instead. */
const FRAMING: ReadonlyMap<string, string> = new Map([
  [
    "connection",
    "remove the line; to close each connection, set `keep_alive: false` in `defaults.http`",
  ],
  ["content-length", "remove the line; the client sends the length of the body"],
  ["transfer-encoding", "remove the line; the client sends the length of the body"],
]);

/**
 * Reports headers of a request that only the client writes. Also warns about a null header if
 * neither the client nor `defaults.http.headers` adds that header. Null removes an inherited
 * header, so it has no effect on a header that is not inherited. The value was probably forgotten,
 * because an empty value in YAML is null.
 */
function checkRequestHeaders(context: CheckContext, headers: object): void {
  const inherited = () => [...OF_CLIENT, ...headersOfPlan(context.plan)];
  checkHeaders(context, headers, inherited, "`defaults.http.headers` does not contain this header");
}

/** Headers that only the client writes, and null ones that it does not add itself. */
function checkDefaultHeaders(context: CheckContext, headers: object): void {
  checkHeaders(context, headers, () => OF_CLIENT, "the client does not add this header");
}

function checkHeaders(
  context: CheckContext,
  headers: object,
  inherited: () => readonly string[],
  reason: string,
): void {
  for (const [name, value] of Object.entries(headers)) {
    const hint = FRAMING.get(name.toLowerCase());
    if (value !== null && hint !== undefined) {
      const message = `the client writes the header ${JSON.stringify(name)} itself`;
      context.report("reserved-name", message, { below: [name], hint });
    }
    if (value !== null || inherited().includes(name.toLowerCase())) continue;
    const message = `null removes the header ${JSON.stringify(name)}, but ${reason}`;
    context.report("no-effect", message, {
      below: [name],
      hint: 'remove the line, or write the value ("" if it is empty)',
      severity: "warning",
    });
  }
}

function headersOfPlan(plan: unknown): string[] {
  const headers = inSection(inSection(inSection(plan, "defaults"), "http"), "headers");
  return Object.keys(headers).map((name) => name.toLowerCase());
}

const HTTP = /^https?:\/\//i;
const SOCKET = /^(?:ws|http)s?:\/\//i;
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;

/** Relative or an `http` or `https` URL. Counts relative URLs. */
export function checkUrl(context: CheckContext, url: string): void {
  checkSchemes(context, url, HTTP, "http or https");
}

/**
 * Checks that the URL of a WebSocket is relative or has a suitable scheme. Counts relative URLs.
 */
export function checkSocketUrl(context: CheckContext, url: string): void {
  checkSchemes(context, url, SOCKET, "ws, wss, http or https");
}

function checkSchemes(context: CheckContext, url: string, known: RegExp, names: string): void {
  checkTemplate(context, url);
  if (SCHEME.test(url) && !known.test(url)) {
    const article = known === HTTP ? "an" : "a";
    context.report("bad-url", `expected ${article} ${names} URL, or one relative to \`base_url\``);
  }
  checkAddress(context, url);
  if (!SCHEME.test(url) && !url.startsWith("${")) context.relativeUrls++;
}

/** Checks that the base URL is an `http` or `https` URL, or starts with an expression. */
function checkBaseUrl(context: CheckContext, url: string): void {
  checkTemplate(context, url);
  if (!HTTP.test(url) && !url.startsWith("${")) {
    context.report("bad-url", "expected a URL that starts with `http://` or `https://`");
  }
  checkAddress(context, url);
}

function checkProxy(context: CheckContext, url: string): void {
  if (url.includes("${")) {
    context.report("bad-url", "the URL of a proxy cannot contain `${…}`", {
      hint: "remove `proxy`, and set the environment variables `HTTP_PROXY` and `HTTPS_PROXY`",
    });
    return;
  }
  if (URL.parse(url)?.protocol === "http:") return;
  context.report("bad-url", "expected the URL of an HTTP proxy, such as `http://proxy:3128`");
}

/** Checks an address in `hosts`: the path of a Unix socket must not be empty. */
function checkHostAddress(context: CheckContext, address: string): void {
  if (address !== "unix:") return;
  context.report("bad-value", "the path of the Unix socket is empty", {
    hint: "expected `unix:PATH`, such as `unix:/run/app.sock`",
  });
}

/** Checks the host, port and user information of an absolute URL, unless they contain `${…}`. */
function checkAddress(context: CheckContext, url: string): void {
  const [start] = /^(?:ws|http)s?:\/\/[^/?#]*/i.exec(url) ?? [];
  const text = start && literalText(start);
  if (text === undefined || URL.canParse(text)) return;
  context.report("bad-url", "the URL has an invalid host or port", {
    hint: "percent-encode `/`, `?` and `#` in a user name or password",
  });
}

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
