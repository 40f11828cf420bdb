import { z } from "zod";
import { plan } from "./plan.ts";
import { type Choice, choiceOf } from "../values/rule.ts";

/** A JSON Schema as a JavaScript object. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Returns the JSON Schema (draft 2020-12) of plans. It covers every key, its type, and which keys
 * exclude or require each other.
 */
export function planJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(plan, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const choice = choiceOf(zodSchema);
      if (choice) Object.assign(jsonSchema, required(choice));
      delete jsonSchema.id;
    },
  });
  return { ...schema, title: "A plan for rehearse" };
}

function required({ from, least, most }: Choice): JsonSchema {
  const each = from.map((key) => ({ required: [key] }));
  if (least === 1) return most === 1 ? { oneOf: each } : { anyOf: each };
  return { oneOf: [...each, { not: { anyOf: each } }] };
}
