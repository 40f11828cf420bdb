import * as z from "zod";
import type { CheckContext } from "../../rules/check_context.ts";
import { type Unchecked, withRule } from "../../values/rule.ts";
import { regex as regexSchema } from "../../values/values.ts";
import { extractorKeys, type ExtractorVariant, rowKeys } from "./extractor.ts";

const schema = z.strictObject({
  type: z.literal("regex").describe("Extracts text from the body with a regular expression"),
  ...extractorKeys,
  ...rowKeys,
  expression: regexSchema.meta({
    description: "Regular expression (JavaScript syntax), matched against the body",
    examples: ['name="csrf" value="([^"]+)"'],
  }),
  group: z.int().min(0).optional().describe("Capture group; 0 is the whole match (default: 1)"),
});

export const regex = {
  schema: withRule(schema, { check }),
} satisfies ExtractorVariant;

/** Warns if the expression does not have the capture group that the extractor uses. */
function check(
  context: CheckContext,
  { expression, group = 1 }: Unchecked<z.infer<typeof schema>>,
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

/** Returns the number of capture groups of a regular expression, or undefined if it is invalid. */
function groupCount(expression: string): number | undefined {
  try {
    return new RegExp(`${expression}|`).exec("")!.length - 1;
  } catch {
    return undefined;
  }
}
