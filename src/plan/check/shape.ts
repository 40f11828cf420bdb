import { z } from "zod";
import { ExactNumber, isNumber } from "../../base/exact_number.ts";
import { didYouMean } from "../../base/nearest.ts";
import { branchFor, childSchema, isScalar, optionFor, type SchemaNode } from "../schema/branch.ts";
import { checkChoice, checkDiscriminator, reportUnknownKeys } from "./keys.ts";
import { type SemanticRule, semanticRule } from "./semantic_rules.ts";
import { describeSchema, describeValue } from "./describe_schema.ts";
import { type Union, unionFor } from "./union.ts";
import type { CheckContext } from "./check_context.ts";

/** Checks a value against its part of the schema, and by what kind of text or map it is. */
export function checkShape(walk: CheckContext, schema: SchemaNode, value: unknown): void {
  const branch = branchFor(schema, value);
  if (branch === undefined) return reportType(walk, schema, value);
  const kind = semanticRule(schema) ?? semanticRule(branch) ??
    semanticRule(optionFor(branch, value));
  if (isScalar(branch)) {
    if (checkScalar(walk, branch, value, kind)) kind?.check?.(walk, value);
    return;
  }
  kind?.enter?.(walk);
  if (branch instanceof z.ZodObject) {
    checkMap(walk, branch, unionFor(schema, branch), value as Record<string, unknown>);
  } else if (branch instanceof z.ZodRecord) {
    checkRecord(walk, branch, value as Record<string, unknown>);
  } else if (Array.isArray(value)) checkList(walk, branch, value);
  kind?.check?.(walk, value);
}

function reportType(walk: CheckContext, schema: SchemaNode, value: unknown): void {
  const expected = describeSchema(schema);
  const text = (isNumber(value) || typeof value === "boolean") && expected === "text";
  const hint = text ? "put it in quotes" : "";
  walk.report("wrong-type", `expected ${expected}, found ${describeValue(value)}`, { hint });
}

function checkScalar(
  walk: CheckContext,
  schema: SchemaNode,
  value: unknown,
  kind?: SemanticRule,
): boolean {
  // An exact number is left only where any number may stand.
  if (isPlainText(schema) || value instanceof ExactNumber) return true;
  const { error } = z.safeParse(schema, value);
  if (error === undefined) return true;
  const issue = error.issues[0];
  const own = issue.code === "custom" || issue.code === "invalid_format";
  const message = own ? issue.message : `expected ${describeSchema(schema)}`;
  const hint = schema instanceof z.ZodEnum
    ? didYouMean(String(value), schema.options as string[])
    : "";
  walk.report(kind?.code ?? "bad-value", `${message}, found ${describeValue(value)}`, { hint });
  return false;
}

/** Text without any rule of its own, by far the most of a plan: nothing to ask zod. */
function isPlainText(schema: SchemaNode): boolean {
  return schema instanceof z.ZodString && schema.def.checks === undefined;
}

function checkMap(
  walk: CheckContext,
  schema: z.ZodObject,
  union: Union | undefined,
  map: Record<string, unknown>,
): void {
  const named = union && checkDiscriminator(walk, union, map);
  const { shape } = named?.option ?? schema;
  // With no word on which kind of map this is, only what its keys hold can be judged.
  const meant = union && !named ? undefined : reportUnknownKeys(walk, shape, named, map);
  for (const key of Object.keys(shape)) {
    const value = Object.hasOwn(map, key) ? map[key] : undefined;
    if (union?.discriminator === key) continue;
    if (value !== undefined) walk.at(key, () => checkShape(walk, shape[key], value));
    else if (meant && !meant.has(key) && !isOptional(shape[key])) {
      const message = `missing key "${key}": expected ${describeSchema(shape[key])}`;
      walk.report("missing-key", message, { below: [key] });
    }
  }
  if (meant) checkChoice(walk, named?.option ?? schema, map);
}

function checkRecord(walk: CheckContext, schema: z.ZodRecord, map: Record<string, unknown>): void {
  for (const key of Object.keys(map)) {
    if (map[key] !== undefined) walk.at(key, () => checkShape(walk, schema.valueType, map[key]));
  }
}

function checkList(walk: CheckContext, schema: SchemaNode, list: readonly unknown[]): void {
  if (list.length === 0 && schema._zod.def.checks?.some(isMinimum)) {
    walk.report("empty-list", "the list is empty: expected at least one item");
  }
  if (schema instanceof z.ZodTuple && list.length !== schema.def.items.length) {
    return walk.report(
      "wrong-type",
      `expected ${describeSchema(schema)}, found a list of ${list.length}`,
    );
  }
  list.forEach((item, i) => {
    const child = childSchema(schema, i);
    if (child) walk.at(i, () => checkShape(walk, child, item));
  });
}

function isMinimum(check: z.core.$ZodCheck): boolean {
  return check._zod.def.check === "min_length";
}

function isOptional(schema: SchemaNode): boolean {
  return schema._zod.optin === "optional";
}
