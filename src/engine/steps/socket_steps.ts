import { durationMs, formatMs } from "../../base/format.ts";
import { messageJson } from "../../base/frames.ts";
import type { Rendered } from "../flow/rendered.ts";
import { assignedIndex, findSocket, type Scope, staticTags } from "../flow/scope.ts";
import { compileBody } from "../kinds/bodies.ts";
import { compileCondition, type ConditionTest } from "../kinds/conditions.ts";
import type { Fault } from "../metrics/failures.ts";
import {
  compileInto,
  compileRow,
  type Extraction,
  takeValue,
} from "../request/response_actions.ts";
import type { StepRuntime, StepValue } from "./step_runtime.ts";
import { FlowEnd, TemplateFault } from "../vu/flow_end.ts";
import { describeSkipped } from "../vu/op.ts";
import type { SocketSession } from "../vu/socket_session.ts";
import type { Vu } from "../vu/vu.ts";
import { compileExtractor } from "../../extract/extractors.ts";
import { conditionName } from "../../plan/kinds/request.ts";

/** `send` step: sends a message over an open WebSocket. */
export const send: StepRuntime<"send"> = {
  compile(message, scope) {
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
  },
  conditions: () => [],
  lists: () => [],
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
export const expect: StepRuntime<"expect"> = {
  compile({ socket: name, condition, timeout, extract = [] }, scope) {
    const socket = findSocket(scope, name);
    socket.reads = true;
    const test = condition && compileCondition(condition, scope);
    const extractions = extract.map((extractor): Extraction => {
      const { name, into } = extractor;
      const { take } = compileExtractor(extractor);
      const record = compileInto(into, staticTags(scope), scope);
      const row = compileRow(extractor, scope);
      return { name, index: assignedIndex(scope, name), take, row, record };
    });
    const ms = durationMs(timeout ?? scope.http.timeout ?? "30s") ?? 30_000;
    const what = condition ? `message with \`${conditionName(condition)}\`` : "message";
    return async (vu) => {
      const session = vu.sockets.get(socket)!;
      for (const { index } of extractions) vu.variables[index] = undefined;
      let fault: Fault;
      try {
        if (await receive(session, vu, test, ms)) {
          for (const extraction of extractions) fault = takeValue(extraction, vu, fault);
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
  },
  conditions: () => [],
  lists: () => [],
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

/**
 * Reports whether a message meets a condition. Returns false if the condition cannot be evaluated
 * on the message, but rethrows FlowEnd and TemplateFault.
 */
function isFulfilled(test: ConditionTest, vu: Vu): boolean {
  try {
    return test(vu);
  } catch (error) {
    if (error instanceof FlowEnd || error instanceof TemplateFault) throw error;
    return false;
  }
}

/** `wait` step: keeps the innermost WebSocket open for a set duration. */
export const wait: StepRuntime<"wait"> = {
  compile(duration, scope) {
    const socket = findSocket(scope, undefined);
    const ms = durationMs(duration) ?? 0;
    return (vu) => {
      const now = () => vu.clock.now();
      return vu.sockets.get(socket)!.stayOpen(vu, now, now() + ms);
    };
  },
  conditions: () => [],
  lists: () => [],
};

/** `close` step: closes a WebSocket and waits until the server has closed it as well. */
export const close: StepRuntime<"close"> = {
  compile({ socket: name, code = 1000, reason = "" }, scope) {
    const socket = findSocket(scope, name);
    return (vu) => vu.sockets.get(socket)!.close(vu, code, reason);
  },
  conditions: () => [],
  lists: () => [],
};
