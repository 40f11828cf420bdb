import * as z from "zod";
import { ExactNumber, isMap, isNumber } from "../../base/exact_number.ts";
import type { CheckContext } from "../rules/check_context.ts";
import type { DiagnosticCode } from "../rules/diagnostic.ts";

export type SchemaNode = z.core.$ZodType;

/** A schema of maps whose keys are known: the keys of `shape`. */
export type MapSchema = z.ZodObject;

type Def = z.core.$ZodTypeDef & {
  readonly innerType?: SchemaNode;
  readonly options?: readonly SchemaNode[];
  readonly discriminator?: string;
};

/**
 * Returns the part of `schema` that applies to `value`, or undefined if no part accepts the type of
 * the value. Unwraps optional schemas. From a union, selects the option that the discriminator of
 * the value names. If the discriminator names no option, selects the option that has the most keys
 * in common with the value. Returns a union of scalars unchanged.
 */
export function branchFor(schema: SchemaNode, value: unknown): SchemaNode | undefined {
  const def = schema._zod.def as Def;
  if (def.innerType !== undefined) return branchFor(def.innerType, value);
  if (def.options === undefined) return takes(def.type, value) ? schema : undefined;
  if (isScalar(schema)) return optionFor(schema, value) && schema;
  return discriminated(def, value) ?? closestOption(def.options, value);
}

/**
 * If `schema` is a union of scalars, returns the option that accepts `value`, or undefined if no
 * option does. Returns any other schema unchanged.
 */
export function optionFor(schema: SchemaNode, value: unknown): SchemaNode | undefined {
  const { options } = schema._zod.def as Def;
  if (options === undefined || !isScalar(schema)) return schema;
  return options.find((option) => branchFor(option, value) !== undefined);
}

/** Strings, numbers, booleans, null, literals or enumerations. */
export function isScalar(schema: SchemaNode): boolean {
  const { type, options } = schema._zod.def as Def;
  return type === "union" ? options!.every(isScalar) : SCALARS.has(type);
}

const SCALARS = new Set<string>(["string", "number", "boolean", "null", "enum", "literal"]);

/**
 * Returns the schema of the value under `key` in a map or list whose schema is `schema`. Returns
 * undefined if `schema` does not have the key.
 */
export function childSchema(schema: SchemaNode, key: PropertyKey): SchemaNode | undefined {
  if (schema instanceof z.ZodObject) {
    return Object.hasOwn(schema.shape, key) ? schema.shape[key as string] : undefined;
  }
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodTuple) return schema.def.items[Number(key)];
  return undefined;
}

function discriminated(
  { discriminator, options }: Def,
  value: unknown,
): SchemaNode | undefined {
  if (discriminator === undefined || !isMap(value)) return undefined;
  const selected = value[discriminator];
  return options!.find((option) => {
    const literal = childSchema(option, discriminator);
    return literal instanceof z.ZodLiteral && literal.values.has(selected as never);
  });
}

/**
 * The option that accepts the type and has the most keys in common with the value, the first of
 * several.
 */
function closestOption(options: readonly SchemaNode[], value: unknown): SchemaNode | undefined {
  let best: SchemaNode | undefined;
  let most = -1;
  for (const option of options) {
    const branch = branchFor(option, value);
    if (branch === undefined) continue;
    const known = knownKeys(branch, value);
    if (known > most) [best, most] = [branch, known];
  }
  return best;
}

function knownKeys(schema: SchemaNode, value: unknown): number {
  if (!(schema instanceof z.ZodObject) || !isMap(value)) return 0;
  const { shape } = schema;
  let known = 0;
  for (const key of Object.keys(value)) if (Object.hasOwn(shape, key)) known++;
  return known;
}

function takes(type: string, value: unknown): boolean {
  switch (type) {
    case "object":
    case "record":
      return isMap(value);
    case "array":
    case "tuple":
      return Array.isArray(value);
    case "string":
      return typeof value === "string";
    case "number":
      return isNumber(value);
    case "boolean":
      return typeof value === "boolean";
    case "null":
      return value === null;
    case "enum":
    case "literal":
      return typeof value !== "object" || value instanceof ExactNumber;
    default:
      return true;
  }
}

/** Removes the optional wrappers of a schema. */
export function unwrap(schema: SchemaNode): SchemaNode {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
}

/** Requires that the schema of each kind has, under `Key`, a literal that equals the kind. */
type Named<Key extends string, Schemas> = {
  readonly [Kind in keyof Schemas]: z.ZodObject<
    { readonly [K in Key]: z.ZodLiteral<Kind & string> }
  >;
};

type UnionOf<Key extends string, Schemas extends Readonly<Record<string, z.ZodObject>>> =
  z.ZodDiscriminatedUnion<[Schemas[keyof Schemas], ...Schemas[keyof Schemas][]], Key>;

/** Maps in which the literal under `key` selects a kind, with the schemas of the kinds in order. */
export function unionOf<Key extends string, Schemas extends Readonly<Record<string, z.ZodObject>>>(
  key: Key,
  schemas: Schemas & Named<Key, Schemas>,
): UnionOf<Key, Schemas> {
  const [first, ...others] = kindsOf(schemas).map((kind): Schemas[keyof Schemas] => schemas[kind]);
  return z.discriminatedUnion(key, [first, ...others]);
}

/**
 * Object type that maps each kind in `Registry` to the schema of that kind.
 */
type ShapeOf<Registry extends Readonly<Record<string, { readonly schema: z.ZodType }>>> = {
  readonly [Kind in keyof Registry]: Registry[Kind]["schema"];
};

/** The schema of each kind under the key of that kind, in order. */
export function shapeOf<Registry extends Readonly<Record<string, { readonly schema: z.ZodType }>>>(
  registry: Registry,
): ShapeOf<Registry> {
  const schemas = Object.entries(registry).map(([kind, { schema }]) => [kind, schema]);
  return Object.fromEntries(schemas);
}

/** Calls `create` only once. */
export function once<Result>(create: () => Result): () => Result {
  let result: { readonly value: Result } | undefined;
  return () => (result ??= { value: create() }).value;
}

/** Returns the keys of a registry of kinds, in registry order, typed as string literals. */
export function kindsOf<Registry extends object>(registry: Registry): (string & keyof Registry)[] {
  const kinds: (string & keyof Registry)[] = [];
  for (const kind in registry) kinds.push(kind);
  return kinds;
}

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
  /** Converts the notation of another tool before the check. Returns other values unchanged. */
  accept?(value: unknown): unknown;
  /** Called before the content of a map or list is checked. */
  enter?(context: CheckContext, value: Value): void;
  /**
   * Called after the content of the value is checked. Not called if the value has an invalid type.
   */
  check?(context: CheckContext, value: Value): void;
}

/** Scalars keep their type; maps and lists have contents of type `unknown`. */
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

/** Keeps the rule and the required keys of `schema`. */
export function extendMap(schema: z.ZodObject, shape: z.ZodRawShape): z.ZodObject {
  return annotate(schema.extend(shape), annotationOf(schema) ?? {});
}

/** Returns the rule of a schema, or undefined if the schema has no rule. */
export function ruleOf(schema: SchemaNode): Rule<unknown> | undefined {
  return annotationOf(schema)?.rule;
}

/** Set by `exactlyOne`, `atMostOne` or `atLeastOne`. */
export function choiceOf(schema: SchemaNode): Choice | undefined {
  return annotationOf(schema)?.choice;
}

function annotate<Schema extends z.ZodType>(schema: Schema, annotation: Annotation): Schema {
  ANNOTATIONS.set(schema, { ...annotationOf(schema), ...annotation });
  return schema;
}

function annotationOf(schema: SchemaNode): Annotation | undefined {
  for (let at: SchemaNode | undefined = schema; at !== undefined; at = at._zod.parent) {
    const annotation = ANNOTATIONS.get(at);
    if (annotation !== undefined) return annotation;
  }
  return undefined;
}
