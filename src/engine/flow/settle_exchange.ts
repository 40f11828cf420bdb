import { ExchangeError } from "../http/exchange_error.ts";
import { redirected, type RedirectPolicy } from "../http/redirect.ts";
import type { RequestSeries } from "../metrics/request_series.ts";
import type { Outgoing } from "../sender.ts";
import { FlowEnd } from "./flow_end.ts";
import type { Vu } from "./vu.ts";

/** How a request is sent. */
export interface ExchangeOptions {
  /** The most redirects to follow; undefined follows none. */
  readonly redirects: number | undefined;
  /** What redirects may take to another origin. */
  readonly policy: RedirectPolicy;
  /** Where each hop's sample goes. */
  readonly series: RequestSeries;
  /** The same object is sent again and again. */
  readonly reused: boolean;
}

/** The request with the VU's cookies, and the VU ready for its answer. */
export function prepareExchange(request: Outgoing, vu: Vu, { reused }: ExchangeOptions): Outgoing {
  return expectAnswer(reused ? cookiedOnce(request, vu) : cookied(request, vu), vu);
}

/**
 * Takes in the answer to what `prepareExchange` gave: keeps its cookies, and follows its redirects;
 * each hop but the last is recorded here. False when there were too many of them: only where there is
 * one to follow does that take a promise. Throws FlowEnd when the VU was cancelled meanwhile.
 */
export function settleExchange(
  outgoing: Outgoing,
  vu: Vu,
  how: ExchangeOptions,
): boolean | Promise<boolean> {
  takeIn(outgoing, vu);
  const next = nextHop(outgoing, vu, how);
  return next === undefined || follow(next, vu, how);
}

async function follow(first: Outgoing, vu: Vu, how: ExchangeOptions): Promise<boolean> {
  let next: Outgoing | undefined = first;
  for (let left = how.redirects!; next !== undefined; left--) {
    if (left === 0) return false;
    how.series.record(vu.received.reply, false, undefined, NaN);
    const outgoing = expectAnswer(cookied(next, vu), vu);
    await vu.session.send(outgoing, vu.received.reply);
    takeIn(outgoing, vu);
    next = nextHop(outgoing, vu, how);
  }
  return true;
}

function nextHop(outgoing: Outgoing, vu: Vu, how: ExchangeOptions): Outgoing | undefined {
  const { reply } = vu.received;
  if (how.redirects === undefined || reply.error !== undefined) return undefined;
  try {
    return redirected(outgoing, reply, how.policy);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    reply.error = error.kind;
    reply.message = error.message;
    return undefined;
  }
}

function expectAnswer(outgoing: Outgoing, vu: Vu): Outgoing {
  vu.received.clear();
  vu.received.request = outgoing;
  vu.yielded = true;
  vu.roundsSinceWait = 0;
  return outgoing;
}

function takeIn({ origin, target }: Outgoing, vu: Vu): void {
  if (vu.cancelled) throw new FlowEnd("iteration");
  const { jar, reply } = vu.received;
  if (!jar || reply.headers.length === 0) return;
  for (const [name, value] of reply.headers) {
    if (name === "set-cookie") jar.store(origin, target, value);
  }
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
