import type * as z from "zod";
import { ruleOf } from "../values/rule.ts";
import type { SchemaNode } from "../values/schema_walk.ts";

/**
 * Describes the values that a schema accepts, in words that can follow "expected", such as `a whole
 * number of at least 1`.
 */
export function describeSchema(schema: SchemaNode): string {
  const def = schema._zod.def as z.core.$ZodTypeDef & {
    innerType?: SchemaNode;
    options?: readonly SchemaNode[];
  };
  if (def.innerType) return describeSchema(def.innerType);
  const { expected } = ruleOf(schema) ?? {};
  if (expected !== undefined) return expected;
  if (def.options) return [...new Set(def.options.map(describeSchema))].join(" or ");
  switch (def.type) {
    case "string":
      return "text";
    case "number":
      return describeNumber(schema as z.ZodNumber);
    case "boolean":
      return "true or false";
    case "null":
      return "null";
    case "enum":
      return `one of ${(schema as z.ZodEnum).options.join(", ")}`;
    case "literal":
      return [...(schema as z.ZodLiteral).values].join(" or ");
    case "array":
      return "a list";
    case "tuple":
      return "a list of length 2";
    case "object":
    case "record":
      return "a map";
    default:
      return "a value";
  }
}

function describeNumber(schema: z.ZodNumber): string {
  const noun = schema.isInt ? "a whole number" : "a number";
  for (const check of schema.def.checks ?? []) {
    const rule = check._zod.def as { check: string; value?: number; inclusive?: boolean };
    if (rule.check !== "greater_than") continue;
    return rule.inclusive ? `${noun} of at least ${rule.value}` : `${noun} above ${rule.value}`;
  }
  return noun;
}
