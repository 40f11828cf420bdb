import type { z } from "zod";
import type { CheckContext } from "../rules/check_context.ts";
import type { DiagnosticCode } from "../rules/diagnostic.ts";
import type { SchemaNode } from "./schema_walk.ts";

/**
 * What a schema requires of a value in addition to its type. `Value` is what a check can rely on: see
 * `Unchecked`.
 */
export interface Rule<Value> {
  /** Diagnostic code for values that violate the schema itself (default: `bad-value`). */
  readonly code?: DiagnosticCode;
  /** What the schema accepts, as the end of "expected …" (default: derived from the schema). */
  readonly expected?: string;
  /** Kind of value in the plan reference (default: derived from the schema). */
  readonly notation?: string;
  /** Runs before the content of the value is checked. */
  enter?(context: CheckContext, value: Value): void;
  /** Runs after the content of the value was checked, if its type is valid. */
  check?(context: CheckContext, value: Value): void;
}

/**
 * A value whose own type is checked, but not that of its content: scalars are `Value`, maps have the
 * keys of `Value` with unknown values, and lists have unknown items.
 */
export type Unchecked<Value> = [Value] extends [string | number | boolean] ? Value
  : [Value] extends [readonly unknown[]] ? readonly unknown[]
  : { readonly [Key in KeyOf<Value>]?: unknown };

/** The keys of a map, or of all maps in a union. */
type KeyOf<Value> = Value extends unknown ? keyof Value : never;

/** How many keys of a group a map must have. */
export interface Choice {
  /** The keys of the group. */
  readonly from: readonly string[];
  readonly least: 0 | 1;
  readonly most?: 1;
}

interface Annotation {
  readonly rule?: Rule<unknown>;
  readonly choice?: Choice;
}

const ANNOTATIONS = new WeakMap<SchemaNode, Annotation>();

/** Adds a rule to a schema, in place of any rule before. Returns the same schema. */
export function withRule<Schema extends z.ZodType>(
  schema: Schema,
  rule: Rule<Unchecked<z.infer<Schema>>>,
): Schema {
  return annotate(schema, { rule });
}

/** Requires exactly one of the keys. Returns the same schema. */
export function exactlyOne<Map extends z.ZodObject>(schema: Map, ...from: KeysOf<Map>): Map {
  return annotate(schema, { choice: { from, least: 1, most: 1 } });
}

/** Requires at most one of the keys. Returns the same schema. */
export function atMostOne<Map extends z.ZodObject>(schema: Map, ...from: KeysOf<Map>): Map {
  return annotate(schema, { choice: { from, least: 0, most: 1 } });
}

/** Requires at least one of the keys. Returns the same schema. */
export function atLeastOne<Map extends z.ZodObject>(schema: Map, ...from: KeysOf<Map>): Map {
  return annotate(schema, { choice: { from, least: 1 } });
}

type KeysOf<Map extends z.ZodObject> = (string & keyof Map["shape"])[];

/** Returns the schema with more keys. It keeps the rule and the choice of keys of `schema`. */
export function extendMap(schema: z.ZodObject, shape: z.ZodRawShape): z.ZodObject {
  return annotate(schema.extend(shape), annotationOf(schema) ?? {});
}

/** Returns the rule of a schema, or undefined. */
export function ruleOf(schema: SchemaNode): Rule<unknown> | undefined {
  return annotationOf(schema)?.rule;
}

/** Returns the choice of keys that a map schema requires, or undefined. */
export function choiceOf(schema: SchemaNode): Choice | undefined {
  return annotationOf(schema)?.choice;
}

function annotate<Schema extends z.ZodType>(schema: Schema, annotation: Annotation): Schema {
  ANNOTATIONS.set(schema, { ...annotationOf(schema), ...annotation });
  return schema;
}

/** Returns the annotation of a schema, or of the schema from which `describe` or `meta` derived it. */
function annotationOf(schema: SchemaNode): Annotation | undefined {
  for (let at: SchemaNode | undefined = schema; at !== undefined; at = at._zod.parent) {
    const annotation = ANNOTATIONS.get(at);
    if (annotation !== undefined) return annotation;
  }
  return undefined;
}
