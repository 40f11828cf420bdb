import * as z from "zod";
import { didYouMean } from "../../../base/nearest.ts";
import { isMap } from "../../../base/exact_number.ts";
import type { CheckContext } from "../../rules/check_context.ts";

/** The schema of the `socket` key, which `send`, `expect` and `close` steps share. */
export const socketKey = z.string().optional().meta({
  description: "Name of an enclosing `websocket` step (default: the innermost)",
  examples: ["notifications"],
});

/** Reports a step that needs a WebSocket if no enclosing step opens one. */
export function checkSocketStep(context: CheckContext, value: unknown): void {
  const { sockets } = context;
  if (sockets.length === 0) {
    context.report("no-websocket", "no `websocket` step contains this step", {
      hint: "put this step in the `steps` of a `websocket` step",
    });
    return;
  }
  const name = isMap(value) ? value.socket : undefined;
  if (typeof name !== "string" || sockets.includes(name)) return;
  context.report("no-websocket", `no enclosing \`websocket\` step has the name "${name}"`, {
    below: ["socket"],
    hint: didYouMean(name, sockets),
  });
}
