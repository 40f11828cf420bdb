import type { Op, Vu } from "../vu/vu.ts";
import { READS_BODY, READS_HEADERS } from "../../extract/response_view.ts";
import type { Random } from "../../base/random.ts";
import { answerDigest, authorizeDigest } from "../../http/digest.ts";
import { ExchangeError } from "../../http/exchange_error.ts";
import { type RedirectPolicy, redirectRequest } from "../../http/redirect.ts";
import type { HttpResponse, Origin, Outgoing } from "../../http/sender.ts";
import { type Request, requestMethod, requestName } from "../../plan/kinds/request.ts";
import { sampleTags } from "../../plan/text/metrics.ts";
import {
  type RequestObserver,
  type RequestSupervisor,
  type Scope,
  staticTags,
  type SupervisedVu,
  variableIndex,
} from "../flow/scope.ts";
import { constantValue, type Rendered } from "../flow/values.ts";
import { FIRST_SAMPLES, type RequestSeries } from "../metrics/request_series.ts";
import { FlowEnd, TemplateFault } from "../vu/flow_end.ts";
import {
  compileActions,
  compileEvents,
  type OpenReader,
  type ResponseActions,
} from "./response_actions.ts";
import { compileOutgoing } from "./outgoing.ts";
import { compilePause } from "./control.ts";

/**
 * Returns a step that sends the request returned by the supervisor, and repeats this as long as the
 * supervisor requires it. Compiles the request each time, because the supervisor may amend it.
 * Keeps all parts of the responses, because the supervisor reads them.
 */
function superviseRequest(
  request: Request,
  scope: Scope,
  supervisor: RequestSupervisor,
  compile: (request: Request, scope: Scope) => Op,
): Op {
  const observed: Scope = {
    ...scope,
    thinkTime: undefined,
    throttle: undefined,
    reads: { headers: READS_HEADERS.headers, body: READS_BODY.body },
  };
  return async (vu) => {
    const seen = supervisedVu(vu, scope);
    do {
      const amended = await supervisor.before(request, seen);
      const send = compile(amended, observed);
      await send(vu, vu.clock.now());
    } while (await supervisor.after(request, seen));
  };
}

function supervisedVu(vu: Vu, scope: Scope): SupervisedVu {
  return {
    id: vu.id,
    iteration: vu.iteration,
    unique: vu.unique,
    session: vu.session,
    received: vu.received,
    get: (variable) => vu.variables[variableIndex(scope, variable)],
    set(variable, value): void {
      vu.variables[variableIndex(scope, variable)] = value;
    },
  };
}

/**
 * `request` step: sends a request. The request fails in these cases:
 * - No response arrives, or a variable is not set.
 * - The status is 400 or above, unless an assertion checks the status.
 * - An extraction or assertion fails.
 */
export function compileRequest(request: Request, scope: Scope): Op {
  return scope.supervisor === undefined
    ? compilePlainRequest(request, scope)
    : superviseRequest(request, scope, scope.supervisor, compilePlainRequest);
}

function compilePlainRequest(request: Request, scope: Scope): Op {
  const tags = {
    ...staticTags(scope, sampleTags(request.tags ?? {})),
    name: requestName(request),
    method: requestMethod(request),
  };
  const series = scope.recorder.request(tags);
  const actions = compileActions(request, series, scope);
  const events = compileEvents(request, tags, scope);
  const isDigest = (request.auth ?? scope.http.auth) === "digest";
  const needs = {
    ...actions.needs,
    ...((isDigest || request.revalidate !== undefined) && { headers: true }),
    ...(events !== undefined && { headers: true, body: false }),
    sampleNext: FIRST_SAMPLES,
  };
  const exchange = createExchange({
    series,
    outgoing: compileOutgoing(request, needs, scope),
    finish: actions.finish,
    events,
    isDigest,
    revalidation: request.revalidate === undefined
      ? undefined
      : new Revalidation(request.revalidate),
    redirects: redirectLimit(request, scope),
    policy: {
      isPlanned: (origin: Origin) => scope.origins.has(origin),
      isSecret: (value: string) => scope.constants.hide(value) !== value,
    },
  });
  const send = scope.observer === undefined
    ? exchange
    : observedExchange(exchange, request, scope.observer);
  const pause = scope.thinkTime === undefined ? undefined : compilePause(scope.thinkTime);
  const { throttle } = scope;
  if (pause === undefined && throttle === undefined) return send;
  return async (vu) => {
    if (vu.pauseDue) await pause?.(vu);
    await throttle?.(vu);
    await send(vu);
  };
}

function observedExchange(exchange: Op, request: Request, observer: RequestObserver): Op {
  return (vu, now) => {
    observer.start(request, vu.session);
    const ended = exchange(vu, now);
    if (vu.unsent !== undefined) observer.unsent(request, vu.session, vu.unsent.message);
    return ended;
  };
}

function redirectLimit(request: Request, { http }: Scope): number | undefined {
  const follows = request.follow_redirects ?? http.follow_redirects ?? true;
  return follows ? http.max_redirects ?? 10 : undefined;
}

/** Returns a step that keeps `gapMs` milliseconds between the requests of a scenario. */
export function throttled(gapMs: number): Op {
  let next = -Infinity;
  return (vu) => {
    const now = vu.clock.now();
    const turn = Math.max(now, next);
    next = turn + gapMs;
    return turn > now ? vu.pauseUntil(turn) : undefined;
  };
}

/** Compiled parts of a request step. */
interface ExchangeParts {
  readonly outgoing: Rendered<Outgoing>;
  /** Maximum number of redirects to follow. If undefined, redirects are not followed. */
  readonly redirects: number | undefined;
  readonly policy: RedirectPolicy;
  readonly series: RequestSeries;
  readonly finish: ResponseActions["finish"];
  readonly isDigest: boolean;
  readonly events: OpenReader | undefined;
  readonly revalidation: Revalidation | undefined;
}

function createExchange(parts: ExchangeParts): Op {
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
      if (next === undefined) return parts.finish(vu, true);
      return follow(next, vu, parts).then((arrived) => parts.finish(vu, arrived));
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
  parts.finish(vu, arrived);
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

/** Makes a fraction of the requests conditional, with what the URL last sent. */
class Revalidation {
  readonly #share: number;
  readonly #known = new Map<string, Header>();

  constructor(share: number) {
    this.#share = share;
  }

  apply(request: Outgoing, random: Random): Outgoing {
    const header = random.next() < this.#share ? this.#known.get(urlOf(request)) : undefined;
    return header === undefined ? request : { ...request, headers: [...request.headers, header] };
  }

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
