import * as z from "zod";
import { regex } from "../../values/values.ts";
import { extractorKeys, type ExtractorVariant } from "./extractor.ts";

export const header = {
  schema: z.strictObject({
    type: z.literal("header").describe("Extracts a value from a response header"),
    ...extractorKeys,
    header: z.string().meta({
      description: "Name of the response header",
      examples: ["X-Request-Id"],
    }),
    expression: regex.optional().meta({
      description:
        "Regular expression whose first group is extracted (default: the whole header value)",
      examples: ["/orders/([0-9]+)"],
    }),
  }),
} satisfies ExtractorVariant;
