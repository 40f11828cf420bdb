import { z } from "zod";
import { extractorKeys, type ExtractorVariant, rowKeys } from "./extractor.ts";

export const boundary = {
  schema: z.strictObject({
    type: z.literal("boundary").describe("Extracts the text between two delimiters"),
    ...extractorKeys,
    ...rowKeys,
    left: z.string().describe("Text directly before the value"),
    right: z.string().describe("Text directly after the value"),
  }),
  mayBlock: false,
} satisfies ExtractorVariant;
