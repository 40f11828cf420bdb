import { z } from "zod";
import { DURATION_SHAPES, durationMs } from "../../base/duration.ts";

/** A length of time, in any of the forms of `base/duration.ts`. */
export const duration = z.union([z.string(), z.number()]).refine(
  (value) => durationMs(value) !== undefined,
  { error: `not a duration: write ${DURATION_SHAPES}` },
).meta({ description: `a duration: ${DURATION_SHAPES}`, kind: "duration" });

/** Text in which `${…}` is replaced at run time and `$${` stands for `${`. */
export const template = z.string().meta({ description: "text with `${…}`", kind: "template" });

/** What YAML may give where text is meant: numbers and booleans are sent as they are written. */
export const templateScalar = z.union([template, z.number(), z.boolean()]);

export const tags = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
  .describe("tags put on every sample made here");

export const headers = z.record(z.string(), templateScalar);

export const count = z.int().min(1);
export const countOrZero = z.int().min(0);
export const rate = z.number().positive();
export const rateOrZero = z.number().min(0);

/** The name of a variable that a flow sets. */
export const variableName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, {
  error: "not a variable name: letters, digits and _, no digit first",
});
