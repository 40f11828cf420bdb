import type * as z from "zod";
import type { CheckContext } from "../rules/check_context.ts";
import type { DiagnosticCode } from "../rules/diagnostic.ts";
import type { SchemaNode } from "./schema_walk.ts";

/**
 * Requirements that a schema places on a value in addition to its type. `Value` is the type that
 * the rule can rely on (see `Unchecked`).
 */
export interface Rule<Value> {
  /** Diagnostic code for values that the schema itself rejects (default: `bad-value`). */
  readonly code?: DiagnosticCode;
  /** Text that follows "expected" in messages (default: derived from the schema). */
  readonly expected?: string;
  /** Text in the "value" column of the plan reference (default: derived from the schema). */
  readonly notation?: string;
  /** Called before the content of a map or list is checked. */
  enter?(context: CheckContext, value: Value): void;
  /**
   * Called after the content of the value is checked. Not called if the value has an invalid type.
   */
  check?(context: CheckContext, value: Value): void;
}

/**
 * The type of a value whose content may be invalid. Scalars keep their type. Maps have the same
 * keys with values of type `unknown`, and lists have items of type `unknown`.
 */
export type Unchecked<Value> = [Value] extends [string | number | boolean] ? Value
  : [Value] extends [readonly unknown[]] ? readonly unknown[]
  : { readonly [Key in KeyOf<Value>]?: unknown };

/** Every key that occurs in at least one member of a union type. */
type KeyOf<Value> = Value extends unknown ? keyof Value : never;

/** Limits on the number of keys from a given list that a map may have. */
export interface Choice {
  /** Keys to choose from. */
  readonly from: readonly string[];
  /** Minimum number of the keys in `from` that a map must have. */
  readonly least: 0 | 1;
  /** Maximum number of the keys in `from` that a map may have (default: no limit). */
  readonly most?: 1;
}

interface Annotation {
  readonly rule?: Rule<unknown>;
  readonly choice?: Choice;
}

const ANNOTATIONS = new WeakMap<SchemaNode, Annotation>();

/** Attaches a rule to a schema, replacing any previous rule, and returns the schema. */
export function withRule<Schema extends z.ZodType>(
  schema: Schema,
  rule: Rule<Unchecked<z.infer<Schema>>>,
): Schema {
  return annotate(schema, { rule });
}

/** Makes `schema` require exactly one of the keys in `from`. Returns `schema`. */
export function exactlyOne<Map extends z.ZodObject>(schema: Map, ...from: KeysOf<Map>): Map {
  return annotate(schema, { choice: { from, least: 1, most: 1 } });
}

/** Makes `schema` allow at most one of the keys in `from`. Returns `schema`. */
export function atMostOne<Map extends z.ZodObject>(schema: Map, ...from: KeysOf<Map>): Map {
  return annotate(schema, { choice: { from, least: 0, most: 1 } });
}

/** Makes `schema` require at least one of the keys in `from`. Returns `schema`. */
export function atLeastOne<Map extends z.ZodObject>(schema: Map, ...from: KeysOf<Map>): Map {
  return annotate(schema, { choice: { from, least: 1 } });
}

type KeysOf<Map extends z.ZodObject> = (string & keyof Map["shape"])[];

/**
 * Returns a schema with the keys of `schema` and of `shape`. The result keeps the rule and the
 * required keys of `schema`.
 */
export function extendMap(schema: z.ZodObject, shape: z.ZodRawShape): z.ZodObject {
  return annotate(schema.extend(shape), annotationOf(schema) ?? {});
}

/** Returns the rule of a schema, or undefined if the schema has no rule. */
export function ruleOf(schema: SchemaNode): Rule<unknown> | undefined {
  return annotationOf(schema)?.rule;
}

/**
 * Returns the limits that `exactlyOne`, `atMostOne` or `atLeastOne` has set for a schema. Returns
 * undefined for a schema without such limits.
 */
export function choiceOf(schema: SchemaNode): Choice | undefined {
  return annotationOf(schema)?.choice;
}

function annotate<Schema extends z.ZodType>(schema: Schema, annotation: Annotation): Schema {
  ANNOTATIONS.set(schema, { ...annotationOf(schema), ...annotation });
  return schema;
}

/**
 * Returns the annotation of a schema or, if it has none, of the schema from which `describe` or
 * `meta` derived it.
 */
function annotationOf(schema: SchemaNode): Annotation | undefined {
  for (let at: SchemaNode | undefined = schema; at !== undefined; at = at._zod.parent) {
    const annotation = ANNOTATIONS.get(at);
    if (annotation !== undefined) return annotation;
  }
  return undefined;
}
