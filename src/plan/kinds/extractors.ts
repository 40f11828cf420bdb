import * as z from "zod";
import { type CheckContext, keepExtractor } from "../rules/check_context.ts";
import { type Unchecked, unionOf, withRule } from "../values/schema_walk.ts";
import {
  cssSelector,
  declareMetric,
  extractedName,
  jsonPathSchema,
  jsonSchema,
  metricKeys,
  regex,
  templateSchema,
  xpath,
} from "../values/values.ts";

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
  "number",
  "path",
] as const;

/** Name of a function that transforms an extracted value, such as `trim`. */
export type Transform = typeof TRANSFORMS[number];

/** Schemas of the keys that all kinds of extractors share. */
const extractorKeys = {
  name: extractedName.meta({
    description: "Name of the variable, used in later steps as `${name}`",
    examples: ["token"],
  }),
  index: z.union([z.enum(["first", "last", "random", "all"]), z.int().min(0)]).optional()
    .meta({
      description: "Match to use; `all` returns a list of all matches (default: first)",
      examples: ["random", 0],
    }),
  default: jsonSchema.optional().meta({
    description: "Value to use if nothing matches (default: the request fails)",
    examples: ["none"],
  }),
  into: withRule(
    z.strictObject({ metric: metricKeys.name, type: metricKeys.type }),
    {
      check(context, { metric: name, type }): void {
        declareMetric(context, { name, type });
        keepExtractor(context);
      },
    },
  ).optional().describe("Metric that also records the value, which must be a number"),
  transform: z.array(z.enum(TRANSFORMS)).optional()
    .meta({
      description:
        "Functions to apply to the value, in order; `json_decode` decodes the escape sequences of a JSON or JavaScript string, `number` converts text to a JSON number, `path` returns the path and query of a URL",
      examples: [["json_decode", "number"]],
    }),
};

/**
 * Limits an extractor to one HTML row, list item, option, article, card or repeated form, or to one
 * JSON object in a list or a script.
 */
const rowKeys = {
  row: templateSchema.optional().meta({
    description:
      "Text that identifies the row to search: exactly the text of an element or attribute of a `tr`, " +
      "`li`, `option`, `article`, or `div` with an attribute such as `data-id`, of a link, of one of " +
      "several equal forms, or of a radio button or check box with its label; or of a member or an item of an array element in JSON, or of an object of " +
      "JSON in a script. If several such rows contain different values, the extraction " +
      "fails, unless `index` selects one (default: search the whole body)",
    examples: ["${product}"],
  }),
};

const regexExtractor = z.strictObject({
  type: z.literal("regex").describe("Extracts text from the body with a regular expression"),
  ...extractorKeys,
  ...rowKeys,
  expression: regex.meta({
    description: "Regular expression (JavaScript syntax), matched against the body",
    examples: ['name="csrf" value="([^"]+)"'],
  }),
  group: z.int().min(0).optional().describe("Capture group; 0 is the whole match (default: 1)"),
});

/** All kinds of extractors, by `type`. The docs list them in this order. */
const EXTRACTORS = {
  jsonpath: z.strictObject({
    type: z.literal("jsonpath").describe("Extracts a value from a JSON body"),
    ...extractorKeys,
    ...rowKeys,
    expression: jsonPathSchema.describe(
      "JSONPath (RFC 9535), such as `$.user.id`; values keep their JSON type and all digits",
    ),
    take: z.enum(["value", "key"]).optional().meta({
      description: "`key` extracts the name of the member that the path selects (default: value)",
      examples: ["key"],
    }),
  }),
  regex: withRule(regexExtractor, { check: checkGroup }),
  css: z.strictObject({
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
  xpath: z.strictObject({
    type: z.literal("xpath").describe("Extracts a value from an HTML body with XPath"),
    ...extractorKeys,
    ...rowKeys,
    expression: xpath.meta({
      description: "XPath 1.0 expression that selects the node",
      examples: ["//order/@id"],
    }),
  }),
  boundary: z.strictObject({
    type: z.literal("boundary").describe("Extracts the text between two delimiters"),
    ...extractorKeys,
    ...rowKeys,
    left: z.string().meta({
      description: "Text directly before the value",
      examples: ['"token":"'],
    }),
    right: z.string().meta({ description: "Text directly after the value", examples: ['"'] }),
  }),
  header: z.strictObject({
    type: z.literal("header").describe("Extracts a value from a response header"),
    ...extractorKeys,
    header: z.string().meta({
      description: "Name of the response header",
      examples: ["X-Request-Id"],
    }),
    expression: regex.optional().meta({
      description:
        "Regular expression whose first group is extracted (default: the whole header value)",
      examples: ["/orders/([0-9]+)"],
    }),
  }),
  cookie: z.strictObject({
    type: z.literal("cookie").describe("Extracts the value of a cookie that the response sets"),
    ...extractorKeys,
    cookie: z.string().meta({ description: "Name of the cookie", examples: ["session"] }),
  }),
} satisfies Readonly<Record<string, z.ZodObject>>;

export type ExtractorKind = keyof typeof EXTRACTORS;

/** Stores a value from a response as `${name}` for later steps of the same VU. */
export const extractor = unionOf("type", EXTRACTORS).meta({ id: "extractor" });

export type Extractor = z.infer<typeof extractor>;

function checkGroup(
  context: CheckContext,
  { expression, group = 1 }: Unchecked<z.infer<typeof regexExtractor>>,
): void {
  if (typeof expression !== "string" || typeof group !== "number") return;
  const groups = groupCount(expression);
  if (groups === undefined || group <= groups) return;
  const message = groups === 0
    ? "no capture group: the extractor would never match"
    : `no capture group ${group}: the expression has ${groups}`;
  const hint = "put `(…)` around the value, or set `group: 0` to take the whole match";
  context.report("bad-regex", message, { below: ["expression"], hint, severity: "warning" });
}

function groupCount(expression: string): number | undefined {
  try {
    return new RegExp(`${expression}|`).exec("")!.length - 1;
  } catch {
    return undefined;
  }
}
