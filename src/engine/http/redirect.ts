import type { HttpResponse, Origin, Outgoing } from "../sender.ts";
import { ExchangeError } from "./exchange_error.ts";
import { toOrigin } from "./origin.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that mean nothing once the body is gone. */
const OF_BODY: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-language",
  "content-location",
  "content-type",
]);
/** Headers that are meant for the origin they were sent to. */
const OF_ORIGIN: ReadonlySet<string> = new Set(["authorization", "host", "proxy-authorization"]);
/** Words in the names of headers that carry credentials, such as X-Api-Key and X-CSRF-Token. */
const CREDENTIALS =
  /auth|token|secret|passw|session|signature|credential|csrf|xsrf|(api|access|subscription)[-_]?key/;

/** What may go to another origin than the one a request was meant for. */
export interface RedirectPolicy {
  /** Reports whether the plan itself sends requests to an origin. */
  isPlanned(origin: Origin): boolean;
  /** Reports whether a header's value holds a secret of the plan. */
  isSecret(value: string): boolean;
}

/**
 * The request that `reply` redirects `request` to (as browsers do it: 303, and 301 or 302 after POST,
 * make it a GET without a body), or undefined when it does not. The Cookie header is left out, for
 * whoever keeps the cookies to put in again. To another origin go no headers with credentials or
 * secrets. Throws `ExchangeError` (`redirects`) for a body that would go to another host that the
 * plan does not name.
 */
export function redirected(
  request: Outgoing,
  reply: HttpResponse,
  policy: RedirectPolicy,
): Outgoing | undefined {
  if (!REDIRECTS.has(reply.status)) return undefined;
  const location = reply.headers.find(([name]) => name === "location")?.[1];
  if (location === undefined) return undefined;
  const { origin: from } = request;
  const current = `http${from.secure ? "s" : ""}://${from.authority}${request.target}`;
  const url = URL.parse(location, current);
  const origin = url ? toOrigin(url) : undefined;
  if (!url || !origin) return undefined;
  const method = methodAfter(request.method, reply.status);
  const bodyStays = method === request.method;
  const carriesBody = bodyStays && request.body !== undefined && request.body.length > 0;
  if (carriesBody && !mayGetBody(from, origin, policy)) {
    throw new ExchangeError(
      "redirects",
      `not followed: it would send the request's body to ${url.origin}, which the plan does not name`,
    );
  }
  const headers = request.headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    return lower !== "cookie" && (bodyStays || !OF_BODY.has(lower)) &&
      (origin === from || !isPrivate(lower, value, policy));
  });
  return {
    method,
    origin,
    target: url.pathname + url.search,
    headers,
    body: bodyStays ? request.body : undefined,
    timeoutMs: request.timeoutMs,
    needs: request.needs,
  };
}

/** The same host gets it, unless that would give up TLS; another one only if the plan names it. */
function mayGetBody(from: Origin, to: Origin, policy: RedirectPolicy): boolean {
  return to === from || (to.host === from.host && (to.secure || !from.secure)) ||
    policy.isPlanned(to);
}

function isPrivate(name: string, value: string, policy: RedirectPolicy): boolean {
  return OF_ORIGIN.has(name) || CREDENTIALS.test(name) || policy.isSecret(value);
}

function methodAfter(method: string, status: number): string {
  if (status === 303) return method === "HEAD" ? method : "GET";
  return method === "POST" && status < 303 ? "GET" : method;
}
