import { ExchangeError } from "../../../http/exchange_error.ts";
import { redirected, type RedirectPolicy } from "../../../http/redirect.ts";
import type { RequestSeries } from "../../metrics/request_series.ts";
import type { Outgoing } from "../../../http/sender.ts";
import { FlowEnd } from "../../vu/flow_end.ts";
import type { Vu } from "../../vu/vu.ts";

/** Options for sending a request and following its redirects. */
export interface ExchangeOptions {
  /** Maximum number of redirects to follow. Undefined means that redirects are not followed. */
  readonly redirects: number | undefined;
  /** Rules for the data that a redirect may send to another origin. */
  readonly policy: RedirectPolicy;
  /** Series that records each hop. */
  readonly series: RequestSeries;
  /** True if the same request object is sent repeatedly. */
  readonly reused: boolean;
}

/** Returns the request with the cookies of the VU added, and resets the VU's response. */
export function prepareExchange(request: Outgoing, vu: Vu, { reused }: ExchangeOptions): Outgoing {
  return expectResponse(
    reused ? withCachedJarCookies(request, vu) : withJarCookies(request, vu),
    vu,
  );
}

/**
 * Stores the cookies of the response and follows redirects. Records each exchange except the last
 * one. Returns, or resolves to, false if the redirect limit was exceeded, otherwise true. Without a
 * redirect it returns synchronously. Throws FlowEnd if the VU was canceled meanwhile.
 */
export function settleExchange(
  outgoing: Outgoing,
  vu: Vu,
  options: ExchangeOptions,
): boolean | Promise<boolean> {
  storeCookies(outgoing, vu);
  const next = nextHop(outgoing, vu, options);
  return next === undefined || follow(next, vu, options);
}

async function follow(first: Outgoing, vu: Vu, options: ExchangeOptions): Promise<boolean> {
  let next: Outgoing | undefined = first;
  for (let left = options.redirects!; next !== undefined; left--) {
    if (left === 0) return false;
    options.series.record(vu.received.response, false, undefined, NaN);
    const outgoing = expectResponse(withJarCookies(next, vu), vu);
    await vu.session.send(outgoing, vu.received.response);
    storeCookies(outgoing, vu);
    next = nextHop(outgoing, vu, options);
  }
  return true;
}

function nextHop(outgoing: Outgoing, vu: Vu, options: ExchangeOptions): Outgoing | undefined {
  const { response } = vu.received;
  if (options.redirects === undefined || response.error !== undefined) return undefined;
  try {
    return redirected(outgoing, response, options.policy);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    response.error = error.kind;
    response.message = error.message;
    return undefined;
  }
}

function expectResponse(outgoing: Outgoing, vu: Vu): Outgoing {
  vu.received.clear();
  vu.received.request = outgoing;
  vu.yielded = true;
  vu.roundsSinceWait = 0;
  return outgoing;
}

function storeCookies({ origin, target }: Outgoing, vu: Vu): void {
  if (vu.cancelled) throw new FlowEnd("iteration");
  const { jar, response } = vu.received;
  if (!jar || response.headers.length === 0) return;
  for (const [name, value] of response.headers) {
    if (name === "set-cookie") jar.store(origin, target, value);
  }
}

/** Does the same as `withJarCookies`, but caches the result until the cookie jar changes. */
function withCachedJarCookies(request: Outgoing, vu: Vu): Outgoing {
  const { jar } = vu.received;
  if (!jar || jar.version === 0) return request;
  const cached = vu.withCookies.get(request);
  if (cached?.version === jar.version) return cached.outgoing;
  const outgoing = withJarCookies(request, vu);
  vu.withCookies.set(request, { version: jar.version, outgoing });
  return outgoing;
}

/** Returns the request with the cookies of the jar added after the cookies that the plan sets. */
function withJarCookies(request: Outgoing, { received: { jar } }: Vu): Outgoing {
  const cookies = jar?.version ? jar.header(request.origin, request.target) : undefined;
  return cookies === undefined ? request : addCookies(request, cookies);
}

function addCookies(request: Outgoing, cookies: string): Outgoing {
  const isCookie = ([name]: readonly [string, string]) => name.toLowerCase() === "cookie";
  const own = request.headers.filter(isCookie).map(([, value]) => value);
  return {
    ...request,
    encoded: undefined,
    headers: [
      ...request.headers.filter((header) => !isCookie(header)),
      ["Cookie", [...own, cookies].join("; ")],
    ],
  };
}
