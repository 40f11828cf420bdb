import { redirected } from "../http/redirect.ts";
import type { RequestSeries } from "../metrics/request_series.ts";
import type { Outgoing } from "../sender.ts";
import { FlowEnd } from "./flow_end.ts";
import type { Vu } from "./vu.ts";

/** How a request is sent. */
export interface How {
  /** The most redirects to follow; undefined follows none. */
  readonly redirects: number | undefined;
  /** Where each hop's sample goes. */
  readonly series: RequestSeries;
  /** The same object is sent again and again. */
  readonly reused: boolean;
}

/**
 * Sends a request with the VU's cookies and follows its redirects: each hop but the last is recorded
 * here. False when there were too many of them. Throws FlowEnd when the VU was cancelled meanwhile.
 */
export async function exchange(first: Outgoing, vu: Vu, how: How): Promise<boolean> {
  const { redirects, series, reused } = how;
  let outgoing = await send(reused ? cookiedOnce(first, vu) : cookied(first, vu), vu);
  if (redirects === undefined) return true;
  for (let left = redirects;; left--) {
    const { reply } = vu.received;
    const next = reply.error === undefined ? redirected(outgoing, reply) : undefined;
    if (next === undefined) return true;
    if (left === 0) return false;
    series.record(reply, false, undefined, NaN);
    outgoing = await send(cookied(next, vu), vu);
  }
}

async function send(outgoing: Outgoing, vu: Vu): Promise<Outgoing> {
  const { received } = vu;
  received.clear();
  received.request = outgoing;
  vu.yielded = true;
  await vu.session.send(outgoing, received.reply);
  if (vu.cancelled) throw new FlowEnd("iteration");
  const { jar, reply } = received;
  if (jar && reply.headers.length > 0) {
    for (const [name, value] of reply.headers) {
      if (name === "set-cookie") jar.store(outgoing.origin, outgoing.target, value);
    }
  }
  return outgoing;
}

/** As `cookied`; the result is kept until the jar changes. */
function cookiedOnce(request: Outgoing, vu: Vu): Outgoing {
  const { jar } = vu.received;
  if (!jar || jar.version === 0) return request;
  const known = vu.cookied.get(request);
  if (known?.version === jar.version) return known.outgoing;
  const outgoing = cookied(request, vu);
  vu.cookied.set(request, { version: jar.version, outgoing });
  return outgoing;
}

/** The request with the jar's cookies behind those that the plan itself sends. */
function cookied(request: Outgoing, { received: { jar } }: Vu): Outgoing {
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
