import * as z from "zod";
import { ExactNumber, isMap, isNumber } from "../base/exact_number.ts";
import { didYouMean } from "../base/nearest.ts";
import {
  checkChoice,
  checkDiscriminator,
  describeSchema,
  reportUnknownKeys,
  type Union,
  unionFor,
} from "./keys.ts";
import { withDoubles } from "./normalize_plan.ts";
import { mergeMaps } from "./override.ts";
import {
  CheckContext,
  inSection,
  type PlanFiles,
  reportSetupUses,
  reportUses,
  warnAboutUnused,
} from "./rules/check_context.ts";
import { describeValue, type Diagnostic, formatPath, type Path } from "./rules/diagnostic.ts";
import { type Plan, plan as planSchema } from "./schema/plan.ts";
import { MAX_DEPTH, tooDeep } from "./parse_tree.ts";
import type { MetricKind } from "./text/metrics.ts";
import {
  branchFor,
  childSchema,
  isScalar,
  optionFor,
  type Rule,
  ruleOf,
  type SchemaNode,
  unwrap,
} from "./values/schema_walk.ts";

/** Options for `checkPlan`. */
export interface CheckOptions {
  /** Access to the files that the plan refers to. If absent, files are not checked. */
  readonly files?: PlanFiles;
}

/**
 * Checks a plan, first by itself and then merged with each of its overlays, and returns all
 * diagnostics. If none of them is an error, `value` is a valid `Plan`.
 */
export function checkPlan(value: unknown, options: CheckOptions = {}): Diagnostic[] {
  const refused = refuse(value);
  if (refused) return [{ severity: "error", path: [], ...refused }];
  const check = (merged: unknown) => checkMerged(merged, options);
  const before = check(value);
  return [...before, ...checkOverlays(value as Record<string, unknown>, before, check)];
}

/** Returns the kind of each metric that a valid plan defines, keyed by the name of the metric. */
export function ownMetrics(plan: Plan): ReadonlyMap<string, MetricKind> {
  const context = new CheckContext(plan);
  checkShape(context, planSchema, plan);
  return context.ownMetrics;
}

/**
 * A value that is empty, not a map, a HAR recording, or nested too deeply is not checked as a plan.
 */
function refuse(value: unknown): Partial<Diagnostic> & Refusal | undefined {
  if (value === null || value === undefined) {
    return { code: "empty-plan", message: "the plan is empty: expected at least `scenarios`" };
  }
  const hint = "use `rehearse convert` to create a plan from a recording";
  if (!isMap(value)) {
    const message = `expected a map with \`scenarios\`, found ${describeValue(value)}`;
    return { code: "not-a-plan", message, hint };
  }
  if (isMap(value.log) && Array.isArray(value.log.entries)) {
    return { code: "not-a-plan", message: "this is a HAR recording, not a plan", hint };
  }
  const path = tooDeep(value);
  const message = `nested too deeply: expected at most ${MAX_DEPTH} levels`;
  return path && { code: "too-deep", message, path: path.slice(0, 20) };
}

type Refusal = Pick<Diagnostic, "code" | "message">;

function checkMerged(plan: unknown, { files }: CheckOptions): Diagnostic[] {
  const context = new CheckContext(plan, files);
  checkShape(context, planSchema, plan);
  reportUses(
    context,
    context.outerUses.map((use) => ({ ...use, early: false })),
    context.everGiven,
  );
  reportSetupUses(context);
  warnAboutUnused(context);
  warnAboutBaseUrl(context);
  return context.diagnostics;
}

function warnAboutBaseUrl(context: CheckContext): void {
  const http = (of: unknown) => inSection(inSection(of, "defaults"), "http");
  const overlays = Object.values(inSection(context.plan, "env"));
  if (context.relativeUrls === 0) return;
  if ([context.plan, ...overlays].some((of) => http(of).base_url !== undefined)) return;
  const message = `not set, but the plan has relative URLs (requests: ${context.relativeUrls})`;
  const below = ["defaults", "http", "base_url"];
  context.report("no-base-url", message, {
    below,
    hint: "set it here or in an overlay, or use `run --base-url URL`",
    severity: "warning",
  });
}

function checkOverlays(
  plan: Record<string, unknown>,
  before: readonly Diagnostic[],
  check: (merged: unknown) => Diagnostic[],
): Diagnostic[] {
  const known = new Set(before.map(identity));
  return Object.entries(inSection(plan, "env")).flatMap(([name, overlay]) => {
    if (!isMap(overlay)) return [];
    if (Object.hasOwn(overlay, "env")) return [nestedOverlay(name)];
    const warnings: Diagnostic[] = [];
    const merged = mergeMaps({ ...plan, env: undefined }, overlay);
    const found = [...check(withDoubles(merged, (one) => warnings.push(one))), ...warnings];
    return found.filter((d) => !known.has(identity(d))).map((d) => moved(d, name, overlay));
  });
}

/**
 * Moves a diagnostic of the merged plan to the same path in the overlay. If the overlay contains
 * neither the value nor its parent, moves the diagnostic to the overlay itself.
 */
function moved(diagnostic: Diagnostic, name: string, overlay: unknown): Diagnostic {
  const { path, message } = diagnostic;
  if (hasPath(overlay, path) || path.length > 1 && hasPath(overlay, path.slice(0, -1))) {
    return { ...diagnostic, path: ["env", name, ...path] };
  }
  const { within: _, atKey: __, ...rest } = diagnostic;
  return {
    ...rest,
    path: ["env", name],
    message: `with this overlay, \`${formatPath(path)}\`: ${message}`,
  };
}

function nestedOverlay(name: string): Diagnostic {
  const message = "an overlay cannot contain overlays";
  return {
    code: "unknown-key",
    severity: "error",
    path: ["env", name, "env"],
    message,
    atKey: true,
  };
}

function identity({ code, path, message }: Diagnostic): string {
  return JSON.stringify([code, path, message]);
}

function hasPath(value: unknown, path: Path): boolean {
  let at = value;
  for (const key of path) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return false;
    at = (at as Record<string | number, unknown>)[key];
  }
  return true;
}

/** Checks a value and all nested values against a schema and its rules. */
function checkShape(context: CheckContext, schema: SchemaNode, value: unknown): void {
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
