import { redirected } from "../http/redirect.ts";
import type { RequestSeries } from "../metrics/request_series.ts";
import type { Outgoing } from "../sender.ts";
import { FlowEnd } from "./flow_end.ts";
import type { Vu } from "./vu.ts";

/** The redirects that a request may follow, and where each hop's sample goes. */
export interface Hops {
  readonly max: number;
  readonly series: RequestSeries;
}

/**
 * Sends a request with the VU's cookies and follows its redirects: each hop but the last is recorded
 * here. False when there were too many of them. Throws FlowEnd when the VU was cancelled meanwhile.
 */
export async function exchange(first: Outgoing, vu: Vu, hops: Hops | undefined): Promise<boolean> {
  let outgoing = await send(first, vu);
  for (let left = hops?.max ?? 0; hops !== undefined; left--) {
    const { reply } = vu.received;
    const next = reply.error === undefined ? redirected(outgoing, reply) : undefined;
    if (next === undefined) return true;
    if (left === 0) return false;
    hops.series.record(reply, false, undefined, NaN);
    outgoing = await send(next, vu);
  }
  return true;
}

async function send(request: Outgoing, vu: Vu): Promise<Outgoing> {
  const { received } = vu;
  const outgoing = received.jar ? withCookies(request, vu) : request;
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

/** The request with the jar's cookies behind those that the plan itself sends. */
function withCookies(request: Outgoing, { received: { jar }, cookied }: Vu): Outgoing {
  if (!jar || jar.version === 0) return request;
  const known = cookied.get(request);
  if (known?.version === jar.version) return known.outgoing;
  const cookies = jar.header(request.origin, request.target);
  const outgoing = cookies === undefined ? request : addCookies(request, cookies);
  cookied.set(request, { version: jar.version, outgoing });
  return outgoing;
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
