import * as z from "zod";
import { atLeastOne } from "../../values/rule.ts";
import { countOrZero, exactNumberSchema } from "../../values/values.ts";

/**
 * Definition of a kind of response condition in the plan language. `engine/kinds/conditions`
 * evaluates it.
 */
export interface ConditionVariant {
  /** Schema of the condition in `checks`. Its first key is the literal `type`. */
  readonly schema: z.ZodObject;
}

/** Schema of the `name` key, which all kinds of conditions have. */
export const checkName = z.string().optional().meta({
  description: "Name of the condition in reports and messages",
  examples: ["shows the cart"],
});

/**
 * Returns the schema of the `negate` key. `words`, such as "contain the text", completes its
 * description.
 */
export function negate(words: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional().describe(
    `Require that the body does not ${words} (default: false)`,
  );
}

/** Returns the schema of the `exists` key. `what`, such as "a match", completes its description. */
export function exists(what: string): z.ZodOptional<z.ZodBoolean> {
  return z.boolean().optional().describe(
    `True if ${what} must be present, false if it must be absent (default: true)`,
  );
}

/**
 * Returns the schemas of the keys that compare a number. `what`, such as "value", is the subject of
 * their descriptions.
 */
export function comparisons(what: string) {
  const number = (words: string, example: number) =>
    exactNumberSchema.optional().meta({
      description: `The ${what} must be ${words}`,
      examples: [example],
    });
  return {
    gt: number("greater than this number", 0),
    gte: number("at least this number", 1),
    lt: number("less than this number", 100),
    lte: number("at most this number", 99),
  };
}

/** Keys of a condition that compare a number with a limit. */
export const COMPARISONS = ["gt", "gte", "lt", "lte"] as const;

/** Values of the `gt`, `gte`, `lt` and `lte` keys: the numbers to compare with. */
export type Comparisons = z.infer<z.ZodObject<ReturnType<typeof comparisons>>>;

const countRange = atLeastOne(
  z.strictObject(comparisons("number of matches")).meta({ id: "count_range" }),
  ...COMPARISONS,
);

/**
 * Returns the schema of the `count` key: a required number of matches, or a range. `what` is the
 * word that the description uses for the matches.
 */
export function count(what: string) {
  return z.union([countOrZero, countRange]).optional().meta({
    description: `Required number of ${what}: a number, or a range such as \`{gte: 2}\``,
    examples: [1, { gte: 2 }],
  });
}

/** The required number of matches: a number, or a range such as `{gte: 2}`. */
export type Count = NonNullable<z.infer<ReturnType<typeof count>>>;
