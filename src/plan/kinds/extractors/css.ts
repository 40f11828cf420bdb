import * as z from "zod";
import { cssSelector } from "../../values/values.ts";
import { extractorKeys, type ExtractorVariant, rowKeys } from "./extractor.ts";

export const css = {
  schema: z.strictObject({
    type: z.literal("css").describe(
      "Extracts text or an attribute from an HTML body with a CSS selector",
    ),
    ...extractorKeys,
    ...rowKeys,
    expression: cssSelector.meta({
      description: "CSS selector of the element",
      examples: ["input[name=csrf]"],
    }),
    attribute: z.string().optional().meta({
      description: "Attribute to extract (default: the element's text)",
      examples: ["value"],
    }),
  }),
} satisfies ExtractorVariant;
