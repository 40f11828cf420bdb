import type { Random } from "../../base/random.ts";
import { answerDigest, authorizeDigest } from "../../http/digest.ts";
import { ExchangeError } from "../../http/exchange_error.ts";
import { type RedirectPolicy, redirectRequest } from "../../http/redirect.ts";
import type { HttpResponse, Outgoing } from "../../http/sender.ts";
import { constantValue, type Rendered } from "../flow/values.ts";
import type { RequestSeries } from "../metrics/request_series.ts";
import { FlowEnd, TemplateFault } from "../vu/flow_end.ts";
import type { Op, Vu } from "../vu/vu.ts";
import type { OpenReader } from "./event_reader.ts";
import { finishRequest, type ResponseActions } from "./response_actions.ts";

/** Compiled parts of a request step, which `createExchange` combines. */
export interface ExchangeParts {
  readonly outgoing: Rendered<Outgoing>;
  /** Maximum number of redirects to follow. If undefined, redirects are not followed. */
  readonly redirects: number | undefined;
  /** Rules for what a redirect may send to another origin. */
  readonly policy: RedirectPolicy;
  /** Series that records each response, including redirects. */
  readonly series: RequestSeries;
  readonly actions: ResponseActions;
  /** Whether the request uses Digest authentication. */
  readonly isDigest: boolean;
  /** Creates the reader of server-sent events. Undefined if the request does not read events. */
  readonly events: OpenReader | undefined;
  /** Makes requests conditional. Undefined if the plan does not ask for it. */
  readonly revalidation: Revalidation | undefined;
}

/**
 * Returns a compiled step that sends a request, follows redirects, runs the actions on the last
 * response and records each response.
 */
export function createExchange(parts: ExchangeParts): Op {
  // A constant request is encoded only once. Building it takes no time, so `now` is still the
  // current time when it is sent.
  const fixed = constantValue(parts.outgoing);
  const { events, revalidation } = parts;
  return (vu, now) => {
    vu.startRequest();
    const planned = fixed ?? buildRequest(parts, vu);
    if (planned === undefined) return;
    const unsigned = revalidation?.apply(planned, vu.random) ?? planned;
    const built = parts.isDigest ? authorizeDigest(unsigned, vu.logins) : unsigned;
    const request = built === fixed ? vu.cookies.addToConstant(built) : vu.cookies.addTo(built);
    vu.expectResponse(request);
    if (events !== undefined) return readEvents(request, vu, parts, events, built);
    const startsAt = request === fixed ? now : undefined;
    // `.then` costs half as much as `await`. bench: scripts/bench/engine.ts, plain
    return vu.session.send(request, vu.received.response, startsAt).then(() => {
      revalidation?.store(request, vu.received.response);
      const next = nextHop(request, vu, parts, built);
      if (next === undefined) return finishRequest(vu, parts.series, parts.actions, true);
      return follow(next, vu, parts).then((arrived) =>
        finishRequest(vu, parts.series, parts.actions, arrived)
      );
    });
  };
}

async function readEvents(
  first: Outgoing,
  vu: Vu,
  parts: ExchangeParts,
  events: OpenReader,
  built: Outgoing,
): Promise<void> {
  const { response } = vu.received;
  const reader = events(vu);
  const stream = { stream: reader };
  const timeoutMs = Math.min(first.timeoutMs, reader.maxMs);
  // Requests that follow redirects inherit this timeout.
  const request = { ...first, ...stream, timeoutMs, encoded: undefined };
  await vu.session.send(request, response);
  const next = nextHop(request, vu, parts, built);
  const arrived = next === undefined || await follow(next, vu, parts, stream);
  reader.finish(response);
  finishRequest(vu, parts.series, parts.actions, arrived);
}

/** Builds the request for a VU. If that fails, records an unsent request and returns undefined. */
export function buildRequest<Request extends Outgoing>(
  { outgoing, series }: {
    readonly outgoing: Rendered<Request>;
    readonly series: RequestSeries;
  },
  vu: Vu,
): Request | undefined {
  try {
    const built = outgoing.render(vu);
    series.recordOmittedHeaders(vu.takeOmittedHeaders());
    return built;
  } catch (error) {
    if (!(error instanceof TemplateFault)) throw error;
    vu.takeOmittedHeaders();
    vu.unsent = error;
    vu.received.discard();
    series.recordUnsent({ kind: "template", message: error.message });
    return undefined;
  }
}

/**
 * Stores the cookies of the response to `request`. Returns the next request if the response is a
 * redirect to follow or asks for credentials; otherwise, returns undefined. `withoutJar` is
 * `request` without the cookies from the cookie jar. Throws FlowEnd if the VU has been canceled.
 */
function nextHop(
  request: Outgoing,
  vu: Vu,
  { redirects, policy, isDigest }: ExchangeParts,
  withoutJar: Outgoing,
): Outgoing | undefined {
  if (vu.canceled) throw new FlowEnd("iteration");
  const { response } = vu.received;
  vu.cookies.store(request, response);
  if (response.error !== undefined) return undefined;
  const authenticated = isDigest ? answerDigest(withoutJar, response, vu.logins) : undefined;
  if (authenticated !== undefined || redirects === undefined) return authenticated;
  try {
    return redirectRequest(request, response, policy);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    response.error = error.kind;
    response.message = error.message;
    return undefined;
  }
}

/**
 * Sends `first`, which either follows a redirect or repeats a request with credentials. Then
 * follows further redirects. Records each response except the last one. Resolves to false if the
 * redirect limit was exceeded, otherwise to true. A request that is repeated with credentials does
 * not count as a redirect, and a request is repeated at most once.
 */
async function follow(
  first: Outgoing,
  vu: Vu,
  parts: ExchangeParts,
  stream: Pick<Outgoing, "stream"> = {},
): Promise<boolean> {
  let next: Outgoing | undefined = first;
  let left = parts.redirects ?? 0;
  while (next !== undefined) {
    if (next.digest === undefined && left-- === 0) return false;
    parts.series.record(vu.received.response, false, undefined, NaN);
    const signed: Outgoing = parts.isDigest && next.digest === undefined
      ? authorizeDigest(next, vu.logins)
      : next;
    const request = vu.cookies.addTo(signed);
    vu.expectResponse(request);
    await vu.session.send({ ...request, ...stream }, vu.received.response);
    next = nextHop(request, vu, parts, signed);
  }
  return true;
}

/** Maximum number of URLs of a step whose validators are kept. */
const MAX_URLS = 65_536;

type Header = Outgoing["headers"][number];

/**
 * Sends a fraction of the requests of a step as conditional requests, with the ETag or
 * Last-Modified time that the step last received for the same URL.
 */
export class Revalidation {
  readonly #share: number;
  readonly #known = new Map<string, Header>();

  /** Creates an empty store. `share` is the fraction of conditional requests, 0 to 1. */
  constructor(share: number) {
    this.#share = share;
  }

  /** Returns the request to send: `request`, or a conditional one. */
  apply(request: Outgoing, random: Random): Outgoing {
    const header = random.next() < this.#share ? this.#known.get(urlOf(request)) : undefined;
    return header === undefined ? request : { ...request, headers: [...request.headers, header] };
  }

  /** Keeps the validator of the response to `request`. */
  store(request: Outgoing, { status, error, headers }: HttpResponse): void {
    if (status !== 200 || error !== undefined) return;
    const url = urlOf(request);
    const value = (name: string) => headers.find(([one]) => one === name)?.[1];
    const [tag, time] = [value("etag"), value("last-modified")];
    if (tag === undefined && time === undefined) return;
    if (this.#known.size >= MAX_URLS && !this.#known.has(url)) return;
    this.#known.set(url, tag === undefined ? ["If-Modified-Since", time!] : ["If-None-Match", tag]);
  }
}

function urlOf({ origin, target }: Outgoing): string {
  return origin.authority + target;
}
