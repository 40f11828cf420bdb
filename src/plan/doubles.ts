import { z } from "lean-zod";
import { ExactNumber } from "../base/exact_number.ts";
import { MAX_DEPTH } from "./source/value_limits.ts";
import {
  branchFor,
  childSchema,
  optionFor,
  type SchemaNode,
  unwrap,
} from "./values/schema_walk.ts";
import { plan as planSchema } from "./schema/plan.ts";
import { exactNumberSchema } from "./values/values.ts";

/**
 * Replaces the `ExactNumber` values in a plan with JavaScript numbers, except where the plan sends
 * or compares the exact text of a number. Returns the result without changing `plan`. Overlays keep
 * their exact numbers, because the schema of their values is known only after merging.
 */
export function withDoubles(plan: unknown): unknown {
  return convert(plan, planSchema, MAX_DEPTH);
}

function convert(value: unknown, schema: SchemaNode, levels: number): unknown {
  if (value instanceof ExactNumber) return isKept(schema, value) ? value : Number(value.text);
  if (typeof value !== "object" || value === null || levels === 0) return value;
  const branch = branchFor(schema, value);
  if (branch === undefined || isJson(branch)) return value;
  const map = value as Record<string, unknown>;
  let copy: typeof map | undefined;
  for (const key of Object.keys(map)) {
    const child = childSchema(branch, key);
    const member = child === undefined ? map[key] : convert(map[key], child, levels - 1);
    if (member === map[key]) continue;
    copy ??= (Array.isArray(value) ? [...value] : { ...value }) as typeof map;
    copy[key] = member;
  }
  return copy ?? value;
}

/**
 * Reports whether a number with this schema keeps its exact text. Also returns true if the schema
 * does not accept numbers, so that error messages show the number as written.
 */
function isKept(schema: SchemaNode, value: ExactNumber): boolean {
  const branch = branchFor(schema, value);
  if (branch === undefined) return true;
  const option = unwrap(optionFor(branch, value) ?? branch);
  return isJson(option) || option === exactNumberSchema;
}

/** Reports whether the schema accepts any JSON value. */
function isJson(schema: SchemaNode): boolean {
  return schema instanceof z.ZodLazy;
}
