import { withRule } from "../../values/rule.ts";
import { duration } from "../../values/values.ts";
import { checkSocketStep } from "./socket_step.ts";
import type { StepVariant } from "./step.ts";

export const wait = {
  schema: withRule(duration.meta({}), {
    code: "bad-duration",
    notation: "duration",
    check: checkSocketStep,
  }),
  description: "Keep the WebSocket open for a set duration; fails if it closes earlier",
  url: undefined,
} satisfies StepVariant;
