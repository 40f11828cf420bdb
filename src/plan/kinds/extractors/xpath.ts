import * as z from "zod";
import { xpath as xpathSchema } from "../../values/values.ts";
import { extractorKeys, type ExtractorVariant, rowKeys } from "./extractor.ts";

export const xpath = {
  schema: z.strictObject({
    type: z.literal("xpath").describe("Extracts a value from an HTML body with XPath"),
    ...extractorKeys,
    ...rowKeys,
    expression: xpathSchema.meta({
      description: "XPath 1.0 expression that selects the node",
      examples: ["//order/@id"],
    }),
  }),
} satisfies ExtractorVariant;
