import { z } from "zod";
import type { WrittenNumber } from "../../base/exact_number.ts";
import { DURATION_SHAPES, durationMs } from "../../base/duration.ts";

/** A JSON value. Its numbers keep every digit. */
export type Json = string | boolean | null | WrittenNumber | Json[] | { [key: string]: Json };

/** Any JSON value. */
export const jsonSchema = z.json().meta({ id: "json" }) as z.ZodType as z.ZodType<Json>;

/** A number that is sent exactly as written. All other numbers are doubles. */
export const exactNumberSchema = z.number() as z.ZodType as z.ZodType<WrittenNumber>;

/** A duration, in any of the forms of `base/duration.ts`. */
export const duration = z.union([z.string(), z.number()]).refine(
  (value) => durationMs(value) !== undefined,
  { error: `not a duration: write ${DURATION_SHAPES}` },
).meta({ id: "duration", description: `Duration: ${DURATION_SHAPES}`, kind: "duration" });

/** Text in which `${…}` is replaced at run time and `$${` is a literal `${`. */
export const templateSchema = text("template", "Text with `${…}`").meta({ id: "template" });

/** Text in a notation that is checked: a regular expression, JSONPath, CSS selector or XPath. */
export const regex = text("regex", "Regular expression (JavaScript syntax)");
export const jsonPathSchema = text("jsonpath", "JSONPath (RFC 9535), such as `$.user.id`");
export const cssSelector = text("css", "CSS selector");
export const xpath = text("xpath", "XPath 1.0 expression");
export const filePath = text("file", "Path, relative to the plan");
export const base64 = text("base64", "Binary content, as Base64");

function text(kind: string, description: string): z.ZodString {
  return z.string().meta({ description, kind });
}

/** Metadata of a map schema: how many keys of a group the map must have. */
export interface Choice {
  /** The keys of the group. */
  readonly from: readonly string[];
  readonly least: 0 | 1;
  readonly most?: 1;
}

/** Returns the metadata of a map that has exactly one of the keys. */
export function exactlyOne(...from: string[]): { readonly choose: Choice } {
  return { choose: { from, least: 1, most: 1 } };
}

/** Returns the metadata of a map that has at most one of the keys. */
export function atMostOne(...from: string[]): { readonly choose: Choice } {
  return { choose: { from, least: 0, most: 1 } };
}

/** Returns the metadata of a map that has at least one of the keys. */
export function atLeastOne(...from: string[]): { readonly choose: Choice } {
  return { choose: { from, least: 1 } };
}

/** Text, or a YAML number or boolean, which is sent exactly as written. */
export const templateScalar = z.union([templateSchema, exactNumberSchema, z.boolean()]);

export const tags = z.record(z.string(), z.union([z.string(), exactNumberSchema, z.boolean()]))
  .meta({ description: "Tags to add to samples", kind: "tags" });

export const headers = z.record(z.string(), templateScalar);

export const countSchema = z.int().min(1);
export const countOrZero = z.int().min(0);
export const rate = z.number().positive();
export const rateOrZero = z.number().min(0);

/** Name of a variable that a flow sets. */
export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
  error: "not a variable name: use letters, digits and `_`, and do not start with a digit",
}).meta({ kind: "defines" });
