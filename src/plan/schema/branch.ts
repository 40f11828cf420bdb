import { z } from "zod";
import { ExactNumber, isNumber } from "../../base/exact_number.ts";

/** Any node of the schema. */
export type SchemaNode = z.core.$ZodType;

/** A map of the schema, with its keys in `shape`. */
export type MapSchema = z.ZodObject;

type Def = z.core.$ZodTypeDef & {
  readonly innerType?: SchemaNode;
  readonly options?: readonly SchemaNode[];
  readonly discriminator?: string;
};

/**
 * The part of `schema` that `value` evidently means: optional wrappers are taken off, and of a
 * union the option that takes such a value, by its discriminator or else by its kind and keys; a
 * union of scalars stays whole. Undefined when nothing takes such a value.
 */
export function branchFor(schema: SchemaNode, value: unknown): SchemaNode | undefined {
  const def = schema._zod.def as Def;
  if (def.innerType !== undefined) return branchFor(def.innerType, value);
  if (def.options === undefined) return takes(def.type, value) ? schema : undefined;
  if (isScalar(schema)) return optionFor(schema, value) && schema;
  return discriminated(def, value) ?? likest(def.options, value);
}

/** Of a union of scalars the option that takes the value; any other schema as it is. */
export function optionFor(schema: SchemaNode, value: unknown): SchemaNode | undefined {
  const { options } = schema._zod.def as Def;
  if (options === undefined || !isScalar(schema)) return schema;
  return options.find((option) => branchFor(option, value) !== undefined);
}

/** True of text, numbers, booleans, literals, enumerations and unions of them. */
export function isScalar(schema: SchemaNode): boolean {
  const { type, options } = schema._zod.def as Def;
  return type === "union" ? options!.every(isScalar) : SCALARS.has(type);
}

const SCALARS = new Set<string>(["string", "number", "boolean", "enum", "literal"]);

/** The schema of what stands under `key` of a map or list of `schema`. */
export function childSchema(schema: SchemaNode, key: PropertyKey): SchemaNode | undefined {
  if (schema instanceof z.ZodObject) {
    return Object.hasOwn(schema.shape, key) ? schema.shape[key as string] : undefined;
  }
  if (schema instanceof z.ZodRecord) return schema.valueType;
  if (schema instanceof z.ZodArray) return schema.element;
  if (schema instanceof z.ZodTuple) return schema.def.items[Number(key)];
  return undefined;
}

/** The option whose discriminator says what `value` says. */
function discriminated(def: Def, value: unknown): SchemaNode | undefined {
  if (def.discriminator === undefined || !isMap(value)) return undefined;
  const said = value[def.discriminator] as z.core.util.Literal;
  return def.options!.find((option) => {
    const literal = childSchema(option, def.discriminator!);
    return literal instanceof z.ZodLiteral && literal.values.has(said);
  });
}

/** The first option that takes such a value and knows most of its keys. */
function likest(options: readonly SchemaNode[], value: unknown): SchemaNode | undefined {
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
  return Object.keys(value).filter((key) => Object.hasOwn(schema.shape, key)).length;
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
    case "enum":
    case "literal":
      return typeof value !== "object" || value instanceof ExactNumber;
    default:
      return true;
  }
}

/** The schema without the wrappers that make it optional. */
export function unwrap(schema: SchemaNode): SchemaNode {
  return schema instanceof z.ZodOptional ? unwrap(schema.unwrap()) : schema;
}

/** True of what YAML calls a map. */
export function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) &&
    !(value instanceof ExactNumber);
}
