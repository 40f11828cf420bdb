import type { Outgoing, Reply } from "../sender.ts";
import { originOf } from "./origin.ts";

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

/**
 * The request that `reply` redirects `request` to (as browsers do it: 303, and 301 or 302 after POST,
 * make it a GET without a body), or undefined when it does not. The Cookie header is left out, for
 * whoever keeps the cookies to put in again; credentials stay with their origin.
 */
export function redirected(request: Outgoing, reply: Reply): Outgoing | undefined {
  if (!REDIRECTS.has(reply.status)) return undefined;
  const location = reply.headers.find(([name]) => name === "location")?.[1];
  if (location === undefined) return undefined;
  const { origin: from } = request;
  const current = `http${from.secure ? "s" : ""}://${from.authority}${request.target}`;
  const url = URL.parse(location, current);
  const origin = url ? originOf(url) : undefined;
  if (!url || !origin) return undefined;
  const method = methodAfter(request.method, reply.status);
  const bodyStays = method === request.method;
  const headers = request.headers.filter(([name]) => {
    const lower = name.toLowerCase();
    return lower !== "cookie" && (bodyStays || !OF_BODY.has(lower)) &&
      (origin === from || !OF_ORIGIN.has(lower));
  });
  return {
    method,
    origin,
    target: url.pathname + url.search,
    headers,
    body: bodyStays ? request.body : undefined,
    timeoutMs: request.timeoutMs,
    wants: request.wants,
  };
}

function methodAfter(method: string, status: number): string {
  if (status === 303) return method === "HEAD" ? method : "GET";
  return method === "POST" && status < 303 ? "GET" : method;
}
