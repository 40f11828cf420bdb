import { z } from "zod";
import type { WrittenNumber } from "../../base/exact_number.ts";
import { DURATION_SHAPES, durationMs } from "../../base/duration.ts";

/** A JSON value whose numbers keep every digit. */
export type Json = string | boolean | null | WrittenNumber | Json[] | { [key: string]: Json };

/** Any JSON value. */
export const jsonSchema = z.json().meta({ id: "json" }) as z.ZodType as z.ZodType<Json>;

/** A number that is sent as it is written. Everywhere else a number is a double. */
export const exactNumberSchema = z.number() as z.ZodType as z.ZodType<WrittenNumber>;

/** A length of time, in any of the forms of `base/duration.ts`. */
export const duration = z.union([z.string(), z.number()]).refine(
  (value) => durationMs(value) !== undefined,
  { error: `not a duration: write ${DURATION_SHAPES}` },
).meta({ id: "duration", description: `a duration: ${DURATION_SHAPES}`, kind: "duration" });

/** Text in which `${…}` is replaced at run time and `$${` stands for `${`. */
export const templateSchema = text("template", "text with `${…}`").meta({ id: "template" });

/** Patterns and places, each in a notation of its own. */
export const regex = text("regex", "regular expression, as JavaScript reads it");
export const jsonPathSchema = text("jsonpath", "JSONPath (RFC 9535), such as `$.user.id`");
export const cssSelector = text("css", "CSS selector");
export const xpath = text("xpath", "XPath 1.0 expression");
export const filePath = text("file", "path, relative to the plan");
export const base64 = text("base64", "binary content in base64");

function text(kind: string, description: string): z.ZodString {
  return z.string().meta({ description, kind });
}

/** A rule on which of a map's keys may stand together, for `meta`. */
export interface Choice {
  readonly from: readonly string[];
  readonly least: 0 | 1;
  readonly most?: 1;
}

/** Metadata of a map: of these keys, exactly one. */
export function exactlyOne(...from: string[]): { readonly choose: Choice } {
  return { choose: { from, least: 1, most: 1 } };
}

/** Metadata of a map: of these keys, one at most. */
export function atMostOne(...from: string[]): { readonly choose: Choice } {
  return { choose: { from, least: 0, most: 1 } };
}

/** Metadata of a map: of these keys, one at least. */
export function atLeastOne(...from: string[]): { readonly choose: Choice } {
  return { choose: { from, least: 1 } };
}

/** What YAML may give where text is meant: numbers and booleans are sent as they are written. */
export const templateScalar = z.union([templateSchema, exactNumberSchema, z.boolean()]);

export const tags = z.record(z.string(), z.union([z.string(), exactNumberSchema, z.boolean()]))
  .meta({ description: "tags put on every sample made here", kind: "tags" });

export const headers = z.record(z.string(), templateScalar);

export const countSchema = z.int().min(1);
export const countOrZero = z.int().min(0);
export const rate = z.number().positive();
export const rateOrZero = z.number().min(0);

/** The name of a variable that a flow sets. */
export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
  error: "not a variable name: letters, digits and _, no digit first",
}).meta({ kind: "defines" });
