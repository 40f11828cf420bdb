import { findSocket } from "../../flow/scope.ts";
import type { StepRuntime } from "./step_runtime.ts";

/** `close` step: closes a WebSocket and waits until the server has closed it as well. */
export const close: StepRuntime<"close"> = {
  compile({ socket: name, code = 1000, reason = "" }, scope) {
    const socket = findSocket(scope, name);
    return (vu) => vu.sockets.get(socket)!.close(vu, code, reason);
  },
  conditions: () => [],
  lists: () => [],
};
