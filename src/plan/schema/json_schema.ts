import { z } from "zod";
import { DURATION_PATTERN } from "../../base/duration.ts";
import { PLAN_SCHEMA_URL } from "../../base/release.ts";
import { plan } from "./plan.ts";
import { type Choice, choiceOf } from "../values/rule.ts";

/** A JSON Schema as a JavaScript object. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

/**
 * Returns the JSON Schema (draft 2020-12) of plans. It contains every key with its type and, if its
 * description states them, its default and an example. It also specifies which keys exclude or
 * require each other.
 */
export function planJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(plan, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      const choice = choiceOf(zodSchema);
      if (choice) Object.assign(jsonSchema, required(choice));
      if (jsonSchema.id === "duration") {
        Object.assign(jsonSchema, { pattern: DURATION_PATTERN, minimum: 0 });
      }
      Object.assign(jsonSchema, stated(jsonSchema));
      delete jsonSchema.id;
    },
  });
  return { $id: PLAN_SCHEMA_URL, ...schema, title: "A plan for rehearse" };
}

/** Returns the default and the example that the description of a value states. */
function stated({ description = "", type, enum: names = [] }: JsonSchema): JsonSchema {
  const [, value] = /\(default: ([^()`]+)\)/.exec(description) ?? [];
  const [, example] = /such as `([^`]+)`/.exec(description) ?? [];
  const isDefault = value !== undefined &&
    (type === "boolean"
      ? /^(?:true|false)$/.test(value)
      : type === "integer" || type === "number"
      ? /^\d+$/.test(value)
      : names.includes(value));
  return {
    ...(isDefault && { default: type === "string" ? value : JSON.parse(value) }),
    ...(example !== undefined && type === "string" && names.length === 0 &&
      { examples: [example] }),
  };
}

function required({ from, least, most }: Choice): JsonSchema {
  const each = from.map((key) => ({ required: [key] }));
  if (least === 1) return most === 1 ? { oneOf: each } : { anyOf: each };
  return { oneOf: [...each, { not: { anyOf: each } }] };
}
