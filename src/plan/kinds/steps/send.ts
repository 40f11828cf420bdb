import * as z from "zod";
import { BODIES } from "../bodies.ts";
import { checkSocketStep, socketKey } from "./socket_step.ts";
import type { StepVariant } from "./step.ts";
import type { CheckContext } from "../../rules/check_context.ts";
import { checkTemplate } from "../../rules/templates.ts";
import { exactlyOne, withRule } from "../../values/rule.ts";
import { templateSchema } from "../../values/values.ts";

const content = exactlyOne(
  z.strictObject({
    socket: socketKey,
    text: templateSchema.optional().meta({ description: "Text message", examples: ["ping"] }),
    json: BODIES.json.schema.meta({
      description: "Value to send as JSON in a text message",
      examples: [{ type: "subscribe", topic: "${topic}" }],
    }),
    base64: BODIES.base64.schema.meta({
      description: "Binary message, as Base64",
      examples: ["cGluZw=="],
    }),
  }),
  "text",
  "json",
  "base64",
);

export const send = {
  schema: withRule(
    z.union([templateSchema, content]).meta({
      examples: ["ping", { json: { type: "subscribe" } }],
    }),
    {
      notation: "text with `${…}`, or map",
      check,
    },
  ),
  description: "Send a message: text, or a map with one kind of content",
  url: undefined,
} satisfies StepVariant;

function check(context: CheckContext, value: unknown): void {
  if (typeof value === "string") checkTemplate(context, value);
  checkSocketStep(context, value);
}
