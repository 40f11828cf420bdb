import { z } from "zod";
import { didYouMean, nearest } from "../../base/nearest.ts";
import { branchFor, childOf, isScalar, optionFor, type SchemaNode } from "../schema/branch.ts";
import type { Choice } from "../schema/values.ts";
import { type Kind, kindOf } from "./kinds.ts";
import { found, wanted } from "./schema_words.ts";
import { ownersOf, type Union, unionOf } from "./union.ts";
import type { Walk } from "./walk.ts";

/** Checks a value against its part of the schema, and by what kind of text or map it is. */
export function checkShape(walk: Walk, schema: SchemaNode, value: unknown): void {
  const branch = branchFor(schema, value);
  if (branch === undefined) return reportType(walk, schema, value);
  const kind = kindOf(schema) ?? kindOf(branch) ?? kindOf(optionFor(branch, value));
  if (isScalar(branch)) {
    if (checkScalar(walk, branch, value, kind)) kind?.check?.(walk, value);
    return;
  }
  kind?.enter?.(walk);
  if (branch instanceof z.ZodObject) {
    checkMap(walk, branch, unionOf(schema, branch), value as Values);
  } else if (branch instanceof z.ZodRecord) checkRecord(walk, branch, value as Values);
  else if (Array.isArray(value)) checkList(walk, branch, value);
  kind?.check?.(walk, value);
}

type Values = Record<string, unknown>;

function reportType(walk: Walk, schema: SchemaNode, value: unknown): void {
  const expected = wanted(schema);
  const text = (typeof value === "number" || typeof value === "boolean") && expected === "text";
  const hint = text ? "put it in quotes" : "";
  walk.report("wrong-type", `expected ${expected}, found ${found(value)}`, { hint });
}

function checkScalar(walk: Walk, schema: SchemaNode, value: unknown, kind?: Kind): boolean {
  if (isPlainText(schema)) return true;
  const { error } = z.safeParse(schema, value);
  if (error === undefined) return true;
  const issue = error.issues[0];
  const own = issue.code === "custom" || issue.code === "invalid_format";
  const message = own ? issue.message : `expected ${wanted(schema)}`;
  const hint = schema instanceof z.ZodEnum
    ? didYouMean(String(value), schema.options as string[])
    : "";
  walk.report(kind?.code ?? "bad-value", `${message}, found ${found(value)}`, { hint });
  return false;
}

/** Text without any rule of its own, by far the most of a plan: nothing to ask zod. */
function isPlainText(schema: SchemaNode): boolean {
  return schema instanceof z.ZodString && schema.def.checks === undefined;
}

function checkMap(walk: Walk, schema: z.ZodObject, union: Union | undefined, map: Values): void {
  const named = union && checkDiscriminator(walk, union, map);
  const { shape } = named?.option ?? schema;
  // With no word on which kind of map this is, only what its keys hold can be judged.
  const meant = union && !named ? undefined : reportUnknownKeys(walk, shape, named, map);
  for (const key of Object.keys(shape)) {
    const value = Object.hasOwn(map, key) ? map[key] : undefined;
    if (union?.discriminator === key) continue;
    if (value !== undefined) walk.at(key, () => checkShape(walk, shape[key], value));
    else if (meant && !meant.has(key) && !isOptional(shape[key])) {
      const message = `missing key "${key}": expected ${wanted(shape[key])}`;
      walk.report("missing-key", message, { below: [key] });
    }
  }
  if (meant) checkChoice(walk, named?.option ?? schema, map);
}

/** Reports the keys that do not belong here; gives those that they were evidently meant to be. */
function reportUnknownKeys(
  walk: Walk,
  shape: z.ZodRawShape,
  named: Named | undefined,
  map: Values,
): Set<string> {
  const meant = new Set<string>();
  for (const key of Object.keys(map)) {
    if (Object.hasOwn(shape, key) || map[key] === undefined) continue;
    const known = Object.keys(shape);
    const owners = named ? ownersOf(named.union, key) : [];
    const details = { below: [key], atKey: true };
    if (named && owners.length > 0) {
      const message = `"${key}" is a key of ${owners.join(", ")}, not of ${named.name}`;
      const executor = named.union.discriminator === "executor";
      walk.report(executor ? "wrong-executor-key" : "unknown-key", message, details);
      continue;
    }
    const near = nearest(key, known);
    if (near !== undefined) meant.add(near);
    const hint = near ? `did you mean "${near}"?` : `known here: ${known.join(", ")}`;
    walk.report("unknown-key", `unknown key ${JSON.stringify(key)}`, { ...details, hint });
  }
  return meant;
}

/** The option that a discriminator names. */
interface Named {
  readonly union: Union;
  readonly name: string;
  readonly option: z.ZodObject;
}

/** The option that the discriminator names or nearly names; reports one that names none. */
function checkDiscriminator(walk: Walk, union: Union, map: Values): Named | undefined {
  const { discriminator, options } = union;
  const names = [...options.keys()];
  const said = Object.hasOwn(map, discriminator) ? map[discriminator] : undefined;
  const below = [discriminator];
  if (said === undefined) {
    const message = `missing key "${discriminator}": expected one of ${names.join(", ")}`;
    walk.report("missing-key", message, { below });
    return undefined;
  }
  const text = typeof said === "string" ? said : "";
  const name = options.has(text) ? text : nearest(text, names);
  if (name !== said) {
    const message = `expected one of ${names.join(", ")}, found ${found(said)}`;
    const hint = name && `did you mean "${name}"?`;
    walk.report("bad-value", message, { below, hint });
  }
  return name === undefined ? undefined : { union, name, option: options.get(name)! };
}

function checkChoice(walk: Walk, schema: z.ZodObject, map: Values): void {
  const choice = z.globalRegistry.get(schema)?.choose as Choice | undefined;
  if (choice === undefined) return;
  const there = choice.from.filter((key) => map[key] !== undefined);
  const of = choice.from.join(", ");
  const stray = Object.keys(map).some((key) => !Object.hasOwn(schema.shape, key));
  if (there.length < choice.least) {
    if (stray) return; // reported, and evidently meant to be one of them
    const many = choice.most === 1 ? "exactly" : "at least";
    walk.report("missing-key", `expected ${many} one of ${of}, found none`);
  } else if (there.length > (choice.most ?? Infinity)) {
    const many = choice.least === 1 ? "exactly" : "at most";
    const message = `expected ${many} one of ${of}, found ${there.join(", ")}`;
    walk.report("too-many-keys", message, { below: [there[1]], atKey: true });
  }
}

function checkRecord(walk: Walk, schema: z.ZodRecord, map: Values): void {
  for (const key of Object.keys(map)) {
    if (map[key] !== undefined) walk.at(key, () => checkShape(walk, schema.valueType, map[key]));
  }
}

function checkList(walk: Walk, schema: SchemaNode, list: readonly unknown[]): void {
  if (list.length === 0 && schema._zod.def.checks?.some(isMinimum)) {
    walk.report("empty-list", "the list is empty: expected at least one item");
  }
  if (schema instanceof z.ZodTuple && list.length !== schema.def.items.length) {
    return walk.report("wrong-type", `expected ${wanted(schema)}, found a list of ${list.length}`);
  }
  list.forEach((item, i) => {
    const child = childOf(schema, i);
    if (child) walk.at(i, () => checkShape(walk, child, item));
  });
}

function isMinimum(check: z.core.$ZodCheck): boolean {
  return check._zod.def.check === "min_length";
}

function isOptional(schema: SchemaNode): boolean {
  return schema._zod.optin === "optional";
}
