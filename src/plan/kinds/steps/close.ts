import * as z from "zod";
import { withRule } from "../../values/rule.ts";
import { checkSocketStep, socketKey } from "./socket_step.ts";
import type { StepVariant } from "./step.ts";

const schema = z.strictObject({
  socket: socketKey,
  code: z.int().min(1000).max(4999).refine(
    (code) => code === 1000 || code >= 3000,
    { error: "expected 1000, or a code from 3000 to 4999" },
  ).optional().describe("Close code: 1000, or a code from 3000 to 4999 (default: 1000)"),
  reason: z.string().max(41).optional().meta({
    description: "Reason, at most 41 characters",
    examples: ["done"],
  }),
});

export const close = {
  schema: withRule(schema, { check: checkSocketStep }),
  description: "Close the WebSocket; otherwise, it is closed after its last step",
  url: undefined,
} satisfies StepVariant;
