import * as z from "zod";
import { withRule } from "../../values/rule.ts";
import { shortDuration } from "../../values/values.ts";
import { messageCondition } from "../conditions.ts";
import { extractor } from "../extractors.ts";
import { checkSocketStep, socketKey } from "./socket_step.ts";
import type { StepVariant } from "./step.ts";

export const expect = {
  schema: withRule(
    z.strictObject({
      socket: socketKey,
      condition: messageCondition.optional().describe(
        "Condition on the message; messages that do not meet it are skipped (default: any message)",
      ),
      timeout: shortDuration(
        "Time to wait before the step fails (default: `defaults.http.timeout`)",
      ).optional(),
      extract: z.array(extractor).optional().describe("Variables to extract from the message"),
    }),
    { check: checkSocketStep },
  ),
  description: "Wait for a message",
  url: undefined,
} satisfies StepVariant;
