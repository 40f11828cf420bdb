import * as z from "zod";
import { jsonPathSchema } from "../../values/values.ts";
import { extractorKeys, type ExtractorVariant, rowKeys } from "./extractor.ts";

export const jsonpath = {
  schema: z.strictObject({
    type: z.literal("jsonpath").describe("Extracts a value from a JSON body"),
    ...extractorKeys,
    ...rowKeys,
    expression: jsonPathSchema.describe(
      "JSONPath (RFC 9535), such as `$.user.id`; values keep their JSON type and all digits",
    ),
  }),
} satisfies ExtractorVariant;
