import * as z from "zod";
import { extractorKeys, type ExtractorVariant, rowKeys } from "./extractor.ts";

export const boundary = {
  schema: z.strictObject({
    type: z.literal("boundary").describe("Extracts the text between two delimiters"),
    ...extractorKeys,
    ...rowKeys,
    left: z.string().meta({
      description: "Text directly before the value",
      examples: ['"token":"'],
    }),
    right: z.string().meta({ description: "Text directly after the value", examples: ['"'] }),
  }),
} satisfies ExtractorVariant;
