import type { Op, Vu } from "../vu/vu.ts";
import { READS_BODY, READS_HEADERS } from "../../extract/response_view.ts";
import type { Origin } from "../../http/sender.ts";
import { type Request, requestMethod, requestName } from "../../plan/kinds/request.ts";
import { sampleTags } from "../../plan/text/metrics.ts";
import {
  assignedIndex,
  type RequestObserver,
  type RequestSupervisor,
  type Scope,
  staticTags,
  type SupervisedVu,
  variableIndex,
} from "../flow/scope.ts";
import { FIRST_SAMPLES } from "../metrics/request_series.ts";
import { compileEvents } from "./event_reader.ts";
import { createExchange, Revalidation } from "./exchange.ts";
import { compileOutgoing } from "./outgoing.ts";
import { compileActions } from "./response_actions.ts";
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
  for (const { name } of request.extract ?? []) assignedIndex(scope, name);
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
  const actions = compileActions(request, scope);
  const events = compileEvents(request, tags, scope);
  const isDigest = (request.auth ?? scope.http.auth) === "digest";
  const needs = {
    ...actions.needs,
    ...((isDigest || request.revalidate !== undefined) && { headers: true }),
    ...(events !== undefined && { headers: true, body: false }),
    keepsFailure: (status: number) => series.keepsFailure(status),
    sampleNext: FIRST_SAMPLES,
  };
  const exchange = createExchange({
    series,
    outgoing: compileOutgoing(request, needs, scope),
    actions,
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

/**
 * Returns a step that delays requests so that at least `gapMs` milliseconds pass between
 * consecutive requests of a scenario, regardless of which VU sends them.
 */
export function throttled(gapMs: number): Op {
  let next = -Infinity;
  return (vu) => {
    const now = vu.clock.now();
    const turn = Math.max(now, next);
    next = turn + gapMs;
    return turn > now ? vu.pauseUntil(turn) : undefined;
  };
}
