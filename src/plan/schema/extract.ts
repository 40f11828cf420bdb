import { z } from "zod";
import { cssSelector, jsonPathSchema, jsonSchema, regex, variableName, xpath } from "./values.ts";

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

const common = {
  name: variableName.describe("variable, used later as `${name}`"),
  index: z.union([z.enum(["first", "last", "random", "all"]), z.int().min(0)]).optional()
    .describe("which match to take (first); all gives a list"),
  default: jsonSchema.optional().describe("value when nothing is found"),
  transform: z.array(z.enum(TRANSFORMS)).optional()
    .describe("applied in order; `json_decode` undoes the escapes of a JSON or JavaScript string"),
};

/** Takes a value from a response into `${name}`, for the later steps of that VU. */
export const extractor = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("jsonpath"),
    ...common,
    expression: jsonPathSchema.describe(
      "RFC 9535, such as `$.user.id`; keeps the JSON type and every digit",
    ),
  }),
  z.strictObject({
    type: z.literal("regex"),
    ...common,
    expression: regex,
    group: z.int().min(0).optional().describe("capture group (1)"),
  }).meta({ kind: "regex-extractor" }),
  z.strictObject({
    type: z.literal("css"),
    ...common,
    expression: cssSelector,
    attribute: z.string().optional().describe("attribute to take; the text when absent"),
  }),
  z.strictObject({ type: z.literal("xpath"), ...common, expression: xpath }),
  z.strictObject({ type: z.literal("boundary"), ...common, left: z.string(), right: z.string() }),
  z.strictObject({
    type: z.literal("header"),
    ...common,
    header: z.string(),
    expression: regex.optional()
      .describe(
        "regular expression; takes its first group from the header's value, else all of it",
      ),
  }),
  z.strictObject({ type: z.literal("cookie"), ...common, cookie: z.string() }),
]).meta({ id: "extractor" });

export type Extractor = z.infer<typeof extractor>;
export type Transform = typeof TRANSFORMS[number];
