import { compileTemplate } from "../flow/compile_template.ts";
import { type Rendered, renderedFrom } from "../flow/rendered.ts";
import { type Scope, type SocketScope, staticTags } from "../flow/scope.ts";
import { type RequestSeries, responseEnd } from "../metrics/request_series.ts";
import type { SocketSeries } from "../metrics/step_series.ts";
import { buildRequest } from "../request/exchange.ts";
import { compileOutgoing } from "../request/outgoing.ts";
import type { StepRuntime } from "./step_runtime.ts";
import { compilePause } from "./think_time.ts";
import { FlowEnd } from "../vu/flow_end.ts";
import type { Op } from "../vu/op.ts";
import { SocketGone, SocketSession } from "../vu/socket_session.ts";
import type { Vu } from "../vu/vu.ts";
import { answerDigest, authorizeDigest } from "../../http/digest.ts";
import type { Socket, SocketRequest } from "../../http/sender.ts";
import { socketName } from "../../plan/kinds/request.ts";
import type { SocketKeys } from "../../plan/kinds/websocket.ts";
import { sampleTags } from "../../plan/text/metrics.ts";

/**
 * `websocket` step: opens a WebSocket, runs its steps and closes the WebSocket. If the WebSocket
 * cannot be opened or closes early, the remaining steps are skipped. The session fails in these
 * cases:
 * - The server does not open the WebSocket, or violates the protocol.
 * - The connection closes while a step still needs it.
 * - An `expect` step does not get a message in time, or cannot extract a value.
 */
export const websocket: StepRuntime<"websocket"> = {
  compile(step, scope, compileSteps) {
    const own: SocketScope = { name: socketName(step), reads: false };
    const { steps, ...keys } = step;
    const body = compileSteps(steps, { ...scope, sockets: [...scope.sockets, own] });
    return compileSocket(keys, own, body, scope);
  },
  conditions: () => [],
  lists: ({ steps }) => [steps],
};

/** Compiled parts of a `websocket` step. */
interface SocketParts {
  readonly series: RequestSeries;
  readonly sockets: SocketSeries;
  readonly own: SocketScope;
  readonly outgoing: Rendered<SocketRequest>;
  /** Whether the step uses Digest authentication. */
  readonly isDigest: boolean;
}

function compileSocket(keys: SocketKeys, own: SocketScope, body: Op, scope: Scope): Op {
  const tags = {
    ...staticTags(scope, sampleTags(keys.tags ?? {})),
    name: own.name,
    method: "GET",
  };
  const parts: SocketParts = {
    outgoing: compileRequest(keys, scope),
    series: scope.recorder.request(tags),
    sockets: scope.recorder.socket(tags),
    own,
    isDigest: scope.http.auth === "digest",
  };
  const pause = scope.thinkTime === undefined ? undefined : compilePause(scope.thinkTime);
  return async (vu) => {
    if (vu.pauseDue) await pause?.(vu);
    await scope.throttle?.(vu);
    const session = await open(parts, vu);
    if (session === undefined) return;
    vu.sockets.set(own, session);
    const openedAt = vu.clock.now();
    try {
      await body(vu);
    } catch (error) {
      if (!(error instanceof SocketGone) || error.session !== session) throw error;
    } finally {
      vu.sockets.delete(own);
      await finish(session, vu, openedAt);
    }
  };
}

function compileRequest(keys: SocketKeys, scope: Scope): Rendered<SocketRequest> {
  const { subprotocols: names = [], compression = scope.http.compression ?? true } = keys;
  const needs = { headers: true, body: false };
  const outgoing = compileOutgoing({ ...keys, method: "GET" }, needs, scope);
  const offered = names.map((name) => compileTemplate(name, scope));
  return renderedFrom([outgoing, ...offered], (vu) => ({
    ...outgoing.render(vu),
    subprotocols: offered.map((name) => name.render(vu)),
    compression,
  }));
}

/**
 * Opens the WebSocket and records the result. Resolves to undefined if the WebSocket could not be
 * opened.
 */
async function open(parts: SocketParts, vu: Vu): Promise<SocketSession | undefined> {
  const { series, sockets, own, isDigest } = parts;
  vu.startRequest();
  const built = buildRequest(parts, vu);
  if (built === undefined) {
    sockets.notOpened();
    return undefined;
  }
  const { response } = vu.received;
  const signed = isDigest ? { ...built, ...authorizeDigest(built, vu.logins) } : built;
  let socket = await send(signed, vu);
  const authenticated = isDigest ? answerDigest(signed, response, vu.logins) : undefined;
  if (authenticated !== undefined) {
    series.record(response, false, undefined, NaN);
    socket = await send({ ...built, ...authenticated }, vu);
  }
  const { error, message } = response;
  const fault = error === undefined ? undefined : { kind: error, message: message ?? error };
  series.record(response, socket === undefined, fault, vu.takeScheduledAt());
  if (socket === undefined) {
    sockets.notOpened();
    return undefined;
  }
  sockets.opened(responseEnd(response) - response.startedAt);
  return new SocketSession(socket, sockets, own.reads);
}

/** Sends the upgrade request with the cookies of the VU, and stores the cookies of the response. */
async function send(built: SocketRequest, vu: Vu): Promise<Socket | undefined> {
  const request = { ...built, ...vu.cookies.addTo(built) };
  vu.expectResponse(request);
  const { response } = vu.received;
  const socket = await vu.session.openSocket(request, response);
  if (vu.canceled) throw new FlowEnd("iteration");
  vu.cookies.store(request, response);
  return socket;
}

/** Closes the WebSocket, and records the session unless it was canceled. */
async function finish(session: SocketSession, vu: Vu, openedAt: number): Promise<void> {
  if (vu.canceled) return session.abort();
  await session.close(vu, 1000, "");
  session.recordEnd(vu.clock.now() - openedAt);
}
