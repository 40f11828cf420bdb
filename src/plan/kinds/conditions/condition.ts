import { z } from "zod";

/**
 * Definition of a kind of response condition in the plan language. `engine/kinds/conditions`
 * evaluates it.
 */
export interface ConditionVariant {
  /** Schema of the condition in `checks`. Its first key is the literal `type`. */
  readonly schema: z.ZodObject;
  /** True if evaluating the condition on a response can take very long, as with a regular expression. */
  readonly mayBlock: boolean;
}

/** Schema of the key `name`, which all kinds of conditions have. */
export const checkName = z.string().optional().describe("Name of the check in reports");

/** Returns the schema of the key `negate`. `verb`, such as "contain", completes its description. */
export function negate(verb: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional().describe(
    `Require that the body does not ${verb} it (default: false)`,
  );
}

/** Returns the schema of the key `exists`. `what`, such as "a match", completes its description. */
export function exists(what: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional().describe(
    `True if ${what} must be present, false if it must be absent (default: true)`,
  );
}
