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
  name: variableName.describe("Name of the variable, used in later steps as `${name}`"),
  index: z.union([z.enum(["first", "last", "random", "all"]), z.int().min(0)]).optional()
    .describe("Which match to take; `all` gives a list (default: first)"),
  default: jsonSchema.optional().describe(
    "Value if nothing matches; without one, the request fails",
  ),
  transform: z.array(z.enum(TRANSFORMS)).optional()
    .describe("Applied in order; `json_decode` decodes the escapes of a JSON or JavaScript string"),
};

/** Stores a value from a response in `${name}`, for later steps of the same VU. */
export const extractor = z.discriminatedUnion("type", [
  z.strictObject({
    type: z.literal("jsonpath"),
    ...common,
    expression: jsonPathSchema.describe(
      "JSONPath (RFC 9535), such as `$.user.id`; keeps the JSON type and every digit",
    ),
  }),
  z.strictObject({
    type: z.literal("regex"),
    ...common,
    expression: regex.describe("Regular expression (JavaScript syntax), matched against the body"),
    group: z.int().min(0).optional().describe("Capture group; 0 is the whole match (default: 1)"),
  }).meta({ kind: "regex-extractor" }),
  z.strictObject({
    type: z.literal("css"),
    ...common,
    expression: cssSelector,
    attribute: z.string().optional().describe("Attribute to extract (default: the element's text)"),
  }),
  z.strictObject({ type: z.literal("xpath"), ...common, expression: xpath }),
  z.strictObject({
    type: z.literal("boundary"),
    ...common,
    left: z.string().describe("Text directly before the value"),
    right: z.string().describe("Text directly after the value"),
  }),
  z.strictObject({
    type: z.literal("header"),
    ...common,
    header: z.string().describe("Name of the response header"),
    expression: regex.optional().describe(
      "Regular expression; its first group is extracted (default: the whole value of the header)",
    ),
  }),
  z.strictObject({
    type: z.literal("cookie"),
    ...common,
    cookie: z.string().describe("Name of the cookie"),
  }),
]).meta({ id: "extractor" });

export type Extractor = z.infer<typeof extractor>;
export type Transform = typeof TRANSFORMS[number];
