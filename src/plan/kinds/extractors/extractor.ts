import * as z from "zod";
import { keepExtractor } from "../../rules/variable_uses.ts";
import {
  declareMetric,
  extractedName,
  jsonSchema,
  metricKeys,
  templateSchema,
} from "../../values/values.ts";
import { withRule } from "../../values/rule.ts";

/** Definition of a kind of extractor in the plan language. `src/extract` runs it. */
export interface ExtractorVariant {
  /** Schema of the extractor. Its first key is the literal `type`. */
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
  "number",
  "path",
] as const;

/** Name of a function that transforms an extracted value, such as `trim`. */
export type Transform = typeof TRANSFORMS[number];

/** Schemas of the keys that all kinds of extractors share. */
export const extractorKeys = {
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
 * Schema of the `row` key, which limits an extractor to one HTML table row, list item, option,
 * article or card, or to one element of a JSON array.
 */
export const rowKeys = {
  row: templateSchema.optional().meta({
    description:
      "Text that identifies the row to search. In a page, a row is a `tr`, `li`, `option` or `article`, " +
      "or a `div` with an attribute such as `data-id`; one of its elements or attributes must have " +
      "exactly this text. In JSON, a row is an array element; one of its members must have this text. " +
      "If several such rows contain different values, the extraction fails, unless `index` selects one " +
      "(default: search the whole body)",
    examples: ["${product}"],
  }),
};
