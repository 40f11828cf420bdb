import * as z from "zod";
import { isMap } from "../../base/exact_number.ts";
import { didYouMean } from "../../base/nearest.ts";
import type { CheckContext } from "../rules/check_context.ts";
import { withoutUserInfo } from "../text/user_info.ts";
import { checkUrl, requestHeaders } from "../values/http.ts";
import { atLeastOne, type Unchecked, withRule } from "../values/schema_walk.ts";
import {
  countSchema,
  requestTags,
  shortDuration,
  templateScalar,
  templateSchema,
} from "../values/values.ts";
import { body } from "./bodies.ts";
import {
  type Assertion,
  assertion,
  type Condition,
  condition,
  eventCondition,
} from "./conditions.ts";
import { extractor } from "./extractors.ts";

/** The keys of a request that determine its name. */
interface NamedRequest {
  readonly name?: string;
  readonly method?: string;
  readonly url: string;
  readonly body?: unknown;
}

/**
 * Returns the method of a request. If the plan does not set one, returns POST for a request with a
 * body, and GET otherwise.
 */
export function requestMethod({ method, body }: Pick<NamedRequest, "method" | "body">): string {
  return method ?? (body === undefined ? "GET" : "POST");
}

/**
 * Returns the name of a `websocket` step in reports and in the `name` tag. If the plan does not set
 * one, returns `WS` and the URL without user information.
 */
export function socketName({ name, url }: Pick<NamedRequest, "name" | "url">): string {
  return name ?? `WS ${withoutUserInfo(url)}`;
}

/**
 * Returns the name of a request in reports and in the `name` tag. If the plan does not set one,
 * returns the method and the URL without user information.
 */
export function requestName(request: NamedRequest): string {
  return request.name ?? `${requestMethod(request)} ${withoutUserInfo(request.url)}`;
}

/**
 * Returns the name that identifies a condition in reports and in the `check` tag: its `name`, or
 * text such as `status equals 200`.
 */
export function conditionName(condition: Condition | Assertion): string {
  if (condition.name !== undefined) return condition.name;
  const { type, name: _, ...rest } = condition;
  const keys = Object.entries(rest)
    .filter(([key]) => key !== "on_failure")
    .map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  return [type, ...keys].join(" ");
}

const schema = z.strictObject({
  name: z.string().optional().meta({
    description: "Name in metrics and reports (default: `METHOD url`, before interpolation)",
    examples: ["login"],
  }),
  method: z.string().regex(/^[A-Z][A-Z0-9_-]*$/, "expected a method in capitals, such as GET")
    .optional()
    .meta({
      description: "HTTP method (default: POST if the request has a body, otherwise GET)",
      examples: ["PUT"],
    }),
  url: withRule(
    templateSchema.meta({
      description: "URL, absolute or relative to `defaults.http.base_url`",
      examples: ["/products/${id}"],
    }),
    { notation: "template", check: checkUrl },
  ),
  params: z.record(z.string(), z.union([templateScalar, z.array(templateScalar)])).optional()
    .meta({
      description: "Query parameters to add to the URL; a list repeats the parameter",
      examples: [{ page: 2, tag: ["new", "sale"] }],
    }),
  headers: requestHeaders.optional(),
  body: body.optional().meta({
    description: "Body: text, or a map with one kind of content",
    examples: ["id=${id}", { json: { quantity: 1 } }],
  }),
  timeout: shortDuration("Timeout for the whole request (default: `defaults.http.timeout`)")
    .optional(),
  follow_redirects: z.boolean().optional().describe(
    "Follow 3xx responses (default: `defaults.http.follow_redirects`)",
  ),
  revalidate: z.number().gt(0).max(1).optional().meta({
    description: "Fraction of the requests to send as conditional requests, with the `ETag` or " +
      "`Last-Modified` that the run received from the same URL",
    examples: [0.4],
  }),
  auth: z.enum(["basic", "digest"]).optional().describe(
    "Authentication scheme for the `user:password@` in the URL (default: `defaults.http.auth`)",
  ),
  sse: z.union([
    z.boolean(),
    atLeastOne(
      z.strictObject({
        until: eventCondition.optional().describe(
          "Condition on an event; reading ends at the first event that meets it, and the request fails if none does",
        ),
        max_events: countSchema.optional().meta({
          description: "Number of events after which reading ends",
          examples: [10],
        }),
        max_duration: shortDuration(
          "Time after which reading ends, measured from the start of the request",
        ).optional(),
      }),
      "until",
      "max_events",
      "max_duration",
    ),
  ]).optional().describe(
    "Read the response as server-sent events until the server ends it, an event meets `until`, " +
      "or a limit is reached; extractors and conditions then read the data of the " +
      "last event",
  ),
  tags: requestTags.optional(),
  extract: z.array(extractor).optional().describe("Variables to extract from the response"),
  assert: z.array(assertion).optional().describe(
    "Conditions that must be true; otherwise, the request fails",
  ),
  checks: z.array(condition).optional().describe(
    "Conditions whose results are recorded; they do not fail the request",
  ),
}).meta({ id: "request" });

export type Request = z.infer<typeof schema>;

export const request = {
  schema: withRule(schema, { check }),
  description: "Send an HTTP request",
  url: (request: Request) => request.url,
};

/** All registered HTTP methods, including those of WebDAV. */
const METHODS = [
  ...["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY", "PURGE"],
  ...["PROPFIND", "PROPPATCH", "MKCOL", "COPY", "MOVE", "LOCK", "UNLOCK", "REPORT", "SEARCH"],
  ...["ACL", "BIND", "CHECKIN", "CHECKOUT", "LABEL", "LINK", "MERGE", "MKACTIVITY", "MKCALENDAR"],
  ...["ORDERPATCH", "REBIND", "UNBIND", "UNCHECKOUT", "UNLINK", "UPDATE", "VERSION-CONTROL"],
];

function check(context: CheckContext, request: Unchecked<Request>): void {
  const { name, method, url, body, checks } = request;
  if (typeof url !== "string") return;
  const parts = { name: asText(name), method: asText(method), url, body };
  context.addTagValue("name", requestName(parts));
  context.addTagValue("method", requestMethod(parts));
  context.addTagValue("group", context.groups.map((name) => `::${name}`).join(""));
  for (const check of Array.isArray(checks) ? checks : []) {
    if (isMap(check)) context.addTagValue("check", conditionName(check as Condition));
  }
  if (parts.method === undefined || METHODS.includes(parts.method)) return;
  context.report("unknown-method", `"${parts.method}" is not a registered HTTP method`, {
    below: ["method"],
    hint: didYouMean(parts.method, METHODS),
    severity: "warning",
  });
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}
