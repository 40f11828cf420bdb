import { z } from "zod";
import { jsonSchema, variableName } from "../../values/values.ts";

/** The language half of a kind of extractor. */
export interface ExtractorVariant {
  /** Schema of the extractor, with the literal `type` as its first key. */
  readonly schema: z.ZodObject;
}

const TRANSFORMS = [
  "trim",
  "lowercase",
  "uppercase",
  "url_encode",
  "url_decode",
  "base64_encode",
  "base64_decode",
  "html_decode",
  "json_decode",
] as const;

export type Transform = typeof TRANSFORMS[number];

/** Keys of every extractor. */
export const extractorKeys = {
  name: variableName.describe("Name of the variable, used in later steps as `${name}`"),
  index: z.union([z.enum(["first", "last", "random", "all"]), z.int().min(0)]).optional()
    .describe("Which match to take; `all` gives a list (default: first)"),
  default: jsonSchema.optional().describe(
    "Value if nothing matches; without one, the request fails",
  ),
  transform: z.array(z.enum(TRANSFORMS)).optional()
    .describe("Applied in order; `json_decode` decodes the escapes of a JSON or JavaScript string"),
};
