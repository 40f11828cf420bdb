import { z } from "zod";
import {
  cssSelector,
  jsonPathSchema,
  jsonSchema,
  regex,
  variableName,
  xpath,
} from "../../values/values.ts";

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
    type: z.literal("jsonpath").describe("Extracts from a JSON body"),
    ...common,
    expression: jsonPathSchema.describe(
      "JSONPath (RFC 9535), such as `$.user.id`; keeps the JSON type and every digit",
    ),
  }),
  z.strictObject({
    type: z.literal("regex").describe("Extracts from the body as text"),
    ...common,
    expression: regex.describe("Regular expression (JavaScript syntax), matched against the body"),
    group: z.int().min(0).optional().describe("Capture group; 0 is the whole match (default: 1)"),
  }).meta({ kind: "regex-extractor" }),
  z.strictObject({
    type: z.literal("css").describe("Extracts from an HTML body with a CSS selector"),
    ...common,
    expression: cssSelector.describe("CSS selector of the element"),
    attribute: z.string().optional().describe("Attribute to extract (default: the element's text)"),
  }),
  z.strictObject({
    type: z.literal("xpath").describe("Extracts from an HTML body with XPath"),
    ...common,
    expression: xpath.describe("XPath 1.0 expression of the node"),
  }),
  z.strictObject({
    type: z.literal("boundary").describe("Extracts the text between two fixed texts"),
    ...common,
    left: z.string().describe("Text directly before the value"),
    right: z.string().describe("Text directly after the value"),
  }),
  z.strictObject({
    type: z.literal("header").describe("Extracts from a response header"),
    ...common,
    header: z.string().describe("Name of the response header"),
    expression: regex.optional().describe(
      "Regular expression; its first group is extracted (default: the whole value of the header)",
    ),
  }),
  z.strictObject({
    type: z.literal("cookie").describe("Extracts the value of a cookie that the response sets"),
    ...common,
    cookie: z.string().describe("Name of the cookie"),
  }),
]).meta({ id: "extractor" });

export type Extractor = z.infer<typeof extractor>;
export type Transform = typeof TRANSFORMS[number];
export type ExtractorKind = Extractor["type"];
