import type { Rendered } from "../../flow/rendered.ts";
import { findSocket, type Scope } from "../../flow/scope.ts";
import { compileBody } from "../bodies.ts";
import { TemplateFault } from "../../vu/flow_end.ts";
import type { StepRuntime, StepValue } from "./step_runtime.ts";

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
