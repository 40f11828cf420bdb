import { z } from "zod";

/** The language half of a kind of condition. */
export interface ConditionVariant {
  /** Schema of the condition in `checks`, with the literal `type` as its first key. */
  readonly schema: z.ZodObject;
}

/** Key of every condition. */
export const checkName = z.string().optional().describe("Name of the check in reports");

/** Returns the key that negates a condition on the body, such as "contain". */
export function negate(verb: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional().describe(
    `Require that the body does not ${verb} it (default: false)`,
  );
}

/** Returns the key that requires the presence or absence of `what`. */
export function exists(what: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional().describe(
    `Whether ${what} must be present (true) or absent (false) (default: true)`,
  );
}
