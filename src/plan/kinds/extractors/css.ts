import { z } from "zod";
import { cssSelector } from "../../values/values.ts";
import { extractorKeys, type ExtractorVariant, rowKeys } from "./extractor.ts";

export const css = {
  schema: z.strictObject({
    type: z.literal("css").describe(
      "Extracts text or an attribute from an HTML body with a CSS selector",
    ),
    ...extractorKeys,
    ...rowKeys,
    expression: cssSelector.describe("CSS selector of the element"),
    attribute: z.string().optional().describe("Attribute to extract (default: the element's text)"),
  }),
  mayBlock: true,
} satisfies ExtractorVariant;
