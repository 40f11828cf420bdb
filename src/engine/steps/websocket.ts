import { bytes, durationMs, formatMs } from "../../base/format.ts";
import { messageJson } from "../../base/frames.ts";
import type { Redactor } from "../../base/redactor.ts";
import { safeSnippet } from "../../base/safe_text.ts";
import { answerDigest, authorizeDigest } from "../../http/digest.ts";
import type { Socket, SocketMessage, SocketRequest } from "../../http/sender.ts";
import { conditionName, socketName } from "../../plan/kinds/request.ts";
import type { SocketKeys } from "../../plan/kinds/websocket.ts";
import { sampleTags } from "../../plan/text/metrics.ts";
import { withoutSecrets } from "../../traffic/session/secret_texts.ts";
import { compileTemplate } from "../flow/expressions.ts";
import {
  type CompileStep,
  findSocket,
  type Scope,
  type SocketScope,
  staticTags,
  type StepValue,
} from "../flow/scope.ts";
import { type Rendered, renderedFrom } from "../flow/values.ts";
import { compileBody } from "../kinds/bodies.ts";
import { compileCondition, type ConditionTest } from "../kinds/conditions.ts";
import type { Fault } from "../metrics/failures.ts";
import type { SocketSeries } from "../metrics/recorder.ts";
import { type RequestSeries, responseEnd } from "../metrics/request_series.ts";
import { FlowEnd, TemplateFault } from "../vu/flow_end.ts";
import { SocketGone, type SocketHeartbeat, SocketSession } from "../vu/socket_session.ts";
import type { Op, Vu } from "../vu/vu.ts";
import { compilePause } from "./control.ts";
import { compileOutgoing } from "./outgoing.ts";
import { buildRequest } from "./request.ts";
import { compileExtraction } from "./response_actions.ts";

/**
 * `websocket` step: opens a WebSocket, runs its steps and closes the WebSocket. If the WebSocket
 * cannot be opened or closes early, the remaining steps are skipped. The session fails in these
 * cases:
 * - The server does not open the WebSocket, or violates the protocol.
 * - The connection closes while a step still needs it.
 * - An `expect` step does not get a message in time, or cannot extract a value.
 */
export const websocket: CompileStep<"websocket"> = (step, scope, compileSteps): Op => {
  const own: SocketScope = { name: socketName(step), reads: false };
  const { steps, ...keys } = step;
  const body = compileSteps(steps, { ...scope, sockets: [...scope.sockets, own] });
  return compileSocket(keys, own, body, scope);
};

interface SocketParts {
  readonly series: RequestSeries;
  readonly sockets: SocketSeries;
  readonly own: SocketScope;
  readonly heartbeat: SocketHeartbeat | undefined;
  readonly outgoing: Rendered<SocketRequest>;
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
    heartbeat: keys.heartbeat && {
      receive: keys.heartbeat.receive,
      send: new TextEncoder().encode(keys.heartbeat.send),
    },
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

async function open(parts: SocketParts, vu: Vu): Promise<SocketSession | undefined> {
  const { series, sockets, own, heartbeat, isDigest } = parts;
  vu.startRequest();
  const built = buildRequest(parts, vu);
  if (built === undefined) {
    sockets.notOpened();
    return undefined;
  }
  const { response } = vu.received;
  const signed = isDigest ? { ...built, ...authorizeDigest(built, vu.logins) } : built;
  let socket = await sendUpgrade(signed, vu);
  const authenticated = isDigest ? answerDigest(signed, response, vu.logins) : undefined;
  if (authenticated !== undefined) {
    series.record(response, false, undefined, NaN);
    socket = await sendUpgrade({ ...built, ...authenticated }, vu);
  }
  const { error, message } = response;
  const fault = error === undefined ? undefined : { kind: error, message: message ?? error };
  series.record(response, socket === undefined, fault, vu.takeScheduledAt());
  if (socket === undefined) {
    sockets.notOpened();
    return undefined;
  }
  sockets.opened(responseEnd(response) - response.startedAt);
  return new SocketSession(socket, sockets, own.reads, heartbeat);
}

async function sendUpgrade(built: SocketRequest, vu: Vu): Promise<Socket | undefined> {
  const request = { ...built, ...vu.cookies.addTo(built) };
  vu.expectResponse(request);
  const { response } = vu.received;
  const socket = await vu.session.openSocket(request, response);
  if (vu.canceled) throw new FlowEnd("iteration");
  vu.cookies.store(request, response);
  return socket;
}

async function finish(session: SocketSession, vu: Vu, openedAt: number): Promise<void> {
  if (vu.canceled) return session.abort();
  await session.close(vu, 1000, "");
  session.recordEnd(vu.clock.now() - openedAt);
}

export const send: CompileStep<"send"> = (message, scope): Op => {
  const socket = findSocket(scope, typeof message === "string" ? undefined : message.socket);
  const content = compileContent(message, scope);
  const isText = typeof message === "string" || message.base64 === undefined;
  return async (vu) => {
    const session = vu.sockets.get(socket)!;
    try {
      await session.send(content.render(vu), isText);
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      session.fail({ kind: "template", message: error.message });
    }
  };
};

function compileContent(message: StepValue<"send">, scope: Scope): Rendered<Uint8Array> {
  if (typeof message === "string") return compileBody(message, scope).content;
  const { text, json, base64 } = message;
  return compileBody(text ?? (base64 === undefined ? { json } : { base64 }), scope).content;
}

/**
 * `expect` step: reads messages until one meets the condition, and extracts values from that
 * message. Later steps can test the message as if it were a response. If no such message arrives in
 * time, the session fails, but its steps continue.
 */
export const expect: CompileStep<"expect"> = (
  { socket: name, condition, timeout, extract = [] },
  scope,
): Op => {
  const socket = findSocket(scope, name);
  socket.reads = true;
  const test = condition && compileCondition(condition, scope);
  const extractions = extract.map((one) => compileExtraction(one, staticTags(scope), scope));
  const ms = durationMs(timeout ?? scope.http.timeout ?? "30s") ?? 30_000;
  const what = condition ? `message with \`${conditionName(condition)}\`` : "message";
  return async (vu) => {
    const session = vu.sockets.get(socket)!;
    for (const { index } of extractions) vu.variables[index] = undefined;
    let fault: Fault;
    try {
      if (await receive(session, vu, test, ms)) {
        for (const { take } of extractions) {
          const missing = take(vu);
          fault ??= missing;
        }
      } else {
        const message = `no ${what} within ${formatMs(ms)}${session.discarded}`;
        fault = { kind: "timeout", message, details: session.skipped };
      }
    } catch (error) {
      if (!(error instanceof TemplateFault)) throw error;
      fault = { kind: "template", message: error.message };
    }
    if (fault !== undefined) session.fail(fault);
  };
};

/**
 * Reads messages into `vu.received` until one passes `test`. If `test` is undefined, reads one
 * message. Resolves to false if no such message arrives within `ms` milliseconds. Then,
 * `session.skipped` describes the last message that did not pass.
 */
async function receive(
  session: SocketSession,
  vu: Vu,
  test: ConditionTest | undefined,
  ms: number,
): Promise<boolean> {
  const now = () => vu.clock.now();
  const until = now() + ms;
  session.skipped = undefined;
  for (;;) {
    const next = await session.next(vu, now, until);
    if (next === undefined) return false;
    vu.received.replaceByMessage(next.message, next.size, messageJson);
    if (test === undefined || isFulfilled(test, vu)) return true;
    const { message } = next;
    session.skipped = (hide) => describeSkipped(message, hide);
  }
}

/** Reports whether a message meets a condition that can be evaluated on it. */
function isFulfilled(test: ConditionTest, vu: Vu): boolean {
  try {
    return test(vu);
  } catch (error) {
    if (error instanceof FlowEnd || error instanceof TemplateFault) throw error;
    return false;
  }
}

export const wait: CompileStep<"wait"> = (duration, scope): Op => {
  const socket = findSocket(scope, undefined);
  const ms = durationMs(duration) ?? 0;
  return (vu) => {
    const now = () => vu.clock.now();
    return vu.sockets.get(socket)!.stayOpen(vu, now, now() + ms);
  };
};

/** `close` step: closes a WebSocket and waits until the server has closed it as well. */
export const close: CompileStep<"close"> = (
  { socket: name, code = 1000, reason = "" },
  scope,
): Op => {
  const socket = findSocket(scope, name);
  return (vu) => vu.sockets.get(socket)!.close(vu, code, reason);
};

const MAX_SHOWN = 200;
/** Maximum length of the part of a received message that is searched for secrets, in characters. */
const MAX_SEARCHED = 8_000;

/** Describes the last message that an `expect` step skipped, without secrets. */
export function describeSkipped(message: SocketMessage, hide: Redactor): string {
  if (typeof message !== "string") {
    return `; the last message was binary (${bytes(message.length)})`;
  }
  const text = withoutSecrets(hide(message).slice(0, MAX_SEARCHED));
  return `; the last message was: ${safeSnippet(text, MAX_SHOWN)}`;
}
