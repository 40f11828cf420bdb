import { durationMs } from "../../../base/format.ts";
import { findSocket } from "../../flow/scope.ts";
import type { StepRuntime } from "./step_runtime.ts";

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
