import * as z from "zod";
import { DURATION_PATTERN } from "../../base/format.ts";
import { PLAN_SCHEMA_URL } from "../../base/release.ts";
import { type Choice, choiceOf } from "../values/schema_walk.ts";
import { plan } from "./plan.ts";

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

function stated(schema: JsonSchema): JsonSchema {
  const { description = "", type, enum: names = [], examples } = schema;
  const [, value] = /\(default: ([^()`]+)\)/.exec(description) ?? [];
  const [, example] = /such as `([^`]+)`/.exec(description) ?? [];
  const isDuration = schema.$ref?.endsWith("/duration") === true;
  const isDefault = value !== undefined &&
    (isDuration
      ? DURATION.test(value)
      : type === "boolean"
      ? /^(?:true|false)$/.test(value)
      : type === "integer" || type === "number"
      ? /^\d+$/.test(value)
      : names.includes(value));
  const isText = type === "string" || isDuration && !/^\d+$/.test(value);
  return {
    ...(isDefault && { default: isText ? value : JSON.parse(value) }),
    ...(examples === undefined && example !== undefined && type === "string" &&
      names.length === 0 && { examples: [example] }),
  };
}

const DURATION = new RegExp(DURATION_PATTERN);

function required({ from, least, most }: Choice): JsonSchema {
  const each = from.map((key) => ({ required: [key] }));
  if (least === 1) return most === 1 ? { oneOf: each } : { anyOf: each };
  return { oneOf: [...each, { not: { anyOf: each } }] };
}
