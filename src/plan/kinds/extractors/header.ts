import { z } from "zod";
import { regex } from "../../values/values.ts";
import { extractorKeys, type ExtractorVariant } from "./extractor.ts";

export const header = {
  schema: z.strictObject({
    type: z.literal("header").describe("Extracts a value from a response header"),
    ...extractorKeys,
    header: z.string().describe("Name of the response header"),
    expression: regex.optional().describe(
      "Regular expression whose first group is extracted (default: the whole header value)",
    ),
  }),
  mayBlock: false,
} satisfies ExtractorVariant;
