import * as z from "zod";
import { extractorKeys, type ExtractorVariant } from "./extractor.ts";

export const cookie = {
  schema: z.strictObject({
    type: z.literal("cookie").describe("Extracts the value of a cookie that the response sets"),
    ...extractorKeys,
    cookie: z.string().meta({ description: "Name of the cookie", examples: ["session"] }),
  }),
} satisfies ExtractorVariant;
