import type { HttpResponse, Origin, Outgoing } from "./sender.ts";
import { ExchangeError } from "./exchange_error.ts";
import { toOrigin } from "./url.ts";

/** Statuses of redirects. */
export const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that describe the body. A redirect that drops the body drops them as well. */
const OF_BODY: ReadonlySet<string> = new Set([
  "content-encoding",
  "content-language",
  "content-location",
  "content-type",
]);
/** Headers that are never forwarded to another origin. */
const OF_ORIGIN: ReadonlySet<string> = new Set(["authorization", "host", "proxy-authorization"]);
/** Matches the names of headers that carry credentials, such as `x-api-key` and `x-csrf-token`. */
const CREDENTIALS =
  /auth|token|secret|passw|session|signature|credential|csrf|xsrf|(api|access|subscription)[-_]?key/;

/** Rules for what a redirect may send to another origin. */
export interface RedirectPolicy {
  isPlanned(origin: Origin): boolean;
  isSecret(value: string): boolean;
}

/**
 * Returns the next request if `response` redirects `request`. As in browsers, 303 changes any
 * method except HEAD to GET, and 301 and 302 change POST to GET, which drops the body. The caller
 * adds the cookies for the new URL. Credentials and secrets are not sent to another origin, and
 * those of Digest are dropped, because they are valid for one URL only. Throws `ExchangeError`
 * (`redirects`) for an invalid URL, another scheme, or if the body would be sent to another host,
 * or over HTTP instead of HTTPS, and the plan sends no requests to that origin.
 */
export function redirectRequest(
  request: Outgoing,
  response: HttpResponse,
  policy: RedirectPolicy,
): Outgoing | undefined {
  if (!REDIRECT_STATUSES.has(response.status)) return undefined;
  const location = response.headers.find(([name]) => name === "location")?.[1];
  if (location === undefined) return undefined;
  const { origin: from } = request;
  const current = `http${from.secure ? "s" : ""}://${from.authority}${request.target}`;
  const url = URL.parse(location, current);
  const origin = url ? toOrigin(url) : undefined;
  if (!url || !origin) {
    const why = url ? `has the scheme "${url.protocol.slice(0, -1)}"` : "is not a valid URL";
    throw new ExchangeError("redirects", `redirect not followed: its \`Location\` ${why}`);
  }
  const method = methodAfter(request.method, response.status);
  const keepsBody = method === request.method;
  const sendsBody = keepsBody && request.body !== undefined && request.body.length > 0;
  if (sendsBody && !maySendBody(from, origin, policy)) {
    throw new ExchangeError(
      "redirects",
      `redirect not followed: it would send the request body to ${url.origin}, ` +
        "an origin that the plan does not use",
    );
  }
  const headers = request.headers.filter(([name, value]) => {
    const lower = name.toLowerCase();
    return lower !== "cookie" && (keepsBody || !OF_BODY.has(lower)) &&
      !(request.digest !== undefined && lower === "authorization") &&
      (origin === from || !isPrivate(lower, value, policy));
  });
  return {
    method,
    origin,
    target: targetOf(url),
    headers,
    body: keepsBody ? request.body : undefined,
    timeoutMs: request.timeoutMs,
    needs: request.needs,
    credentials: origin === from ? request.credentials : undefined,
  };
}

/** Reports whether the plan sends requests to `to`, or it is the same host and as secure. */
function maySendBody(from: Origin, to: Origin, policy: RedirectPolicy): boolean {
  return to === from || (to.host === from.host && (to.secure || !from.secure)) ||
    policy.isPlanned(to);
}

function isPrivate(name: string, value: string, policy: RedirectPolicy): boolean {
  return OF_ORIGIN.has(name) || CREDENTIALS.test(name) || policy.isSecret(value);
}

/** By its name in lower case. A challenge of a server (`www-authenticate`) is not a credential. */
export function mayHoldCredentials(name: string): boolean {
  return CREDENTIALS.test(name) && !name.endsWith("-authenticate");
}

function methodAfter(method: string, status: number): string {
  if (status === 303) return method === "HEAD" ? method : "GET";
  return method === "POST" && status < 303 ? "GET" : method;
}

/** Returns the path and query of a URL, including an empty query, as browsers send them. */
function targetOf({ href }: URL): string {
  return /^[^/]*\/\/[^/]*([^#]*)/.exec(href)![1];
}
