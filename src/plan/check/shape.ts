import * as z from "zod";
import { ExactNumber, isNumber } from "../../base/exact_number.ts";
import { didYouMean } from "../../base/nearest.ts";
import {
  branchFor,
  childSchema,
  isScalar,
  optionFor,
  type Rule,
  ruleOf,
  type SchemaNode,
  unwrap,
} from "../values/schema_walk.ts";
import {
  checkChoice,
  checkDiscriminator,
  describeSchema,
  reportUnknownKeys,
  type Union,
  unionFor,
} from "./keys.ts";
import { describeValue } from "../rules/diagnostic.ts";
import type { CheckContext } from "../rules/check_context.ts";

/**
 * Checks a value, including all nested values, against a schema and its rules. Reports all errors
 * and warnings to `context`.
 */
export function checkShape(context: CheckContext, schema: SchemaNode, value: unknown): void {
  const branch = branchFor(schema, value);
  if (branch === undefined) return reportType(context, schema, value);
  const option = optionFor(branch, value);
  const rule = ruleOf(unwrap(schema)) ?? ruleOf(branch) ?? (option && ruleOf(option));
  if (isScalar(branch)) {
    if (checkScalar(context, branch, value, rule)) rule?.check?.(context, value);
    return;
  }
  rule?.enter?.(context, value);
  if (branch instanceof z.ZodObject) {
    checkMap(context, branch, unionFor(schema, branch), value as Record<string, unknown>);
  } else if (branch instanceof z.ZodRecord) {
    checkRecord(context, branch, value as Record<string, unknown>);
  } else if (Array.isArray(value)) checkList(context, branch, value);
  rule?.check?.(context, value);
}

function checkBelow(
  context: CheckContext,
  key: string | number,
  schema: SchemaNode,
  value: unknown,
): void {
  context.path.push(key);
  checkShape(context, schema, value);
  context.path.pop();
}

function reportType(context: CheckContext, schema: SchemaNode, value: unknown): void {
  const expected = describeSchema(schema);
  const text = (isNumber(value) || typeof value === "boolean") && expected === "text";
  const hint = text ? "put it in quotes" : "";
  context.report("wrong-type", `expected ${expected}, found ${describeValue(value)}`, { hint });
}

function checkScalar(
  context: CheckContext,
  schema: SchemaNode,
  value: unknown,
  rule?: Rule<unknown>,
): boolean {
  // An `ExactNumber` is left only where the schema accepts any number.
  if (isPlainText(schema) || value instanceof ExactNumber) return true;
  const { error } = z.safeParse(schema, value);
  if (error === undefined) return true;
  const issue = error.issues[0];
  const own = issue.code === "custom" || issue.code === "invalid_format";
  const message = own ? issue.message : `expected ${describeSchema(schema)}`;
  const hint = schema instanceof z.ZodEnum
    ? didYouMean(String(value), schema.options as string[])
    : "";
  context.report(rule?.code ?? "bad-value", `${message}, found ${describeValue(value)}`, { hint });
  return false;
}

function isPlainText(schema: SchemaNode): boolean {
  return schema instanceof z.ZodString && schema.def.checks === undefined;
}

function checkMap(
  context: CheckContext,
  schema: z.ZodObject,
  union: Union | undefined,
  map: Record<string, unknown>,
): void {
  const named = union && checkDiscriminator(context, union, map);
  const { shape } = named?.option ?? schema;
  // Without a discriminator, the kind of map is unknown: check only the values of its keys.
  const meant = union && !named ? undefined : reportUnknownKeys(context, shape, named, map);
  for (const key of Object.keys(shape)) {
    const value = Object.hasOwn(map, key) ? map[key] : undefined;
    if (union?.discriminator === key) continue;
    if (value !== undefined) checkBelow(context, key, shape[key], value);
    else if (meant && !isOptional(shape[key]) && !meant.has(key)) {
      const message = `missing key "${key}": expected ${describeSchema(shape[key])}`;
      context.report("missing-key", message, { below: [key] });
    }
  }
  if (meant) checkChoice(context, named?.option ?? schema, map);
}

function checkRecord(
  context: CheckContext,
  schema: z.ZodRecord,
  map: Record<string, unknown>,
): void {
  for (const key of Object.keys(map)) {
    if (map[key] !== undefined) {
      checkBelow(context, key, schema.valueType, map[key]);
    }
  }
}

function checkList(context: CheckContext, schema: SchemaNode, list: readonly unknown[]): void {
  if (list.length === 0 && schema._zod.def.checks?.some(isMinimum)) {
    context.report("empty-list", "the list is empty: expected at least one item");
  }
  if (schema instanceof z.ZodTuple && list.length !== schema.def.items.length) {
    return context.report(
      "wrong-type",
      `expected ${describeSchema(schema)}, found a list of length ${list.length}`,
    );
  }
  for (let i = 0; i < list.length; i++) {
    const child = childSchema(schema, i);
    if (child) checkBelow(context, i, child, list[i]);
  }
}

function isMinimum(check: z.core.$ZodCheck): boolean {
  return check._zod.def.check === "min_length";
}

function isOptional(schema: SchemaNode): boolean {
  return schema._zod.optin === "optional";
}
