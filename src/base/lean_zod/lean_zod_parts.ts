import type { z } from "zod";
import { ArrayNode, JsonNode, RecordNode, TupleNode } from "./nested_nodes.ts";
import { DiscriminatedUnionNode, ObjectNode, UnionNode } from "./nested_nodes.ts";
import { BooleanNode, EnumNode, LiteralNode } from "./scalar_nodes.ts";
import { INTEGER_CHECK, NullNode, NumberNode, StringNode } from "./scalar_nodes.ts";
import { type Meta, OptionalNode, type Scalar, SchemaNode, type Shape } from "./schema_node.ts";

export { safeParse } from "./find_issue.ts";
export {
  ArrayNode as ZodArray,
  BooleanNode as ZodBoolean,
  DiscriminatedUnionNode as ZodDiscriminatedUnion,
  enumeration as enum,
  EnumNode as ZodEnum,
  JsonNode as ZodLazy,
  LiteralNode as ZodLiteral,
  nothing as null,
  NullNode as ZodNull,
  NumberNode as ZodNumber,
  ObjectNode as ZodObject,
  OptionalNode as ZodOptional,
  RecordNode as ZodRecord,
  SchemaNode as ZodType,
  StringNode as ZodString,
  TupleNode as ZodTuple,
  UnionNode as ZodUnion,
};

/** Gives access to the metadata of schemas, like zod's registry of the same name. */
export const globalRegistry = {
  /** Returns the metadata of a schema, or undefined if the schema has no metadata. */
  get: (schema: SchemaNode): Meta | undefined => schema.meta(),
};

/** Returns a schema for strings. */
export function string(): StringNode {
  return new StringNode({ type: "string" }, (zod) => zod.string());
}

/** Returns a schema for finite numbers. */
export function number(): NumberNode {
  return new NumberNode({ type: "number" }, (zod) => zod.number());
}

/** Returns a schema for integers from -(2^53 - 1) to 2^53 - 1. */
export function int(): NumberNode {
  return new NumberNode({ type: "number", checks: [INTEGER_CHECK] }, (zod) => zod.int());
}

/** Returns a schema for true and false. */
export function boolean(): BooleanNode {
  return new BooleanNode({ type: "boolean" }, (zod) => zod.boolean());
}

/** Returns a schema for null. */
function nothing(): NullNode {
  return new NullNode({ type: "null" }, (zod) => zod.null());
}

/** Returns a schema that accepts only the strings in `values`. */
function enumeration(values: readonly string[]): EnumNode {
  return new EnumNode({ type: "enum", values }, (zod) => zod.enum(values));
}

/** Returns a schema for a single fixed value. */
export function literal(value: Scalar): LiteralNode {
  return new LiteralNode({ type: "literal", values: [value] }, (zod) => zod.literal(value));
}

/** Returns a schema for maps that can have only the keys of `shape`. */
export function strictObject(shape: Shape): ObjectNode {
  return ObjectNode.create(() => shape);
}

/**
 * Returns a schema for maps whose values match `valueType`. `keyType` is used only to create the
 * equivalent zod schema.
 */
export function record(keyType: SchemaNode, valueType: SchemaNode): RecordNode {
  return new RecordNode(
    { type: "record", valueType },
    (zod, convert) =>
      zod.record(convert(keyType) as ReturnType<typeof zod.string>, convert(valueType)),
  );
}

/** Returns a schema for lists whose items match `element`. */
export function array(element: SchemaNode): ArrayNode {
  return new ArrayNode({ type: "array", element }, (zod, convert) => zod.array(convert(element)));
}

/** Returns a schema for lists with one item for each schema in `items`. */
export function tuple(items: readonly [SchemaNode, ...SchemaNode[]]): TupleNode {
  return new TupleNode({ type: "tuple", items }, (zod, convert) => {
    const [first, ...others] = items.map(convert);
    return zod.tuple([first, ...others]);
  });
}

/** Returns a schema for the values that one of `options` accepts. */
export function union(options: readonly SchemaNode[]): UnionNode {
  return new UnionNode(
    { type: "union", options },
    (zod, convert) => zod.union(options.map(convert)),
  );
}

/** Returns a schema for maps. The value of the key `discriminator` selects one of `options`. */
export function discriminatedUnion(
  discriminator: string,
  options: readonly SchemaNode[],
): DiscriminatedUnionNode {
  return new DiscriminatedUnionNode(
    { type: "union", options, discriminator },
    (zod, convert) => {
      const [first, ...others] = options.map((option) => convert(option) as Discriminable);
      return zod.discriminatedUnion(discriminator, [first, ...others]);
    },
  );
}

type Discriminable = z.core.$ZodTypeDiscriminable;

/** Returns a schema for any JSON value. */
export function json(): JsonNode {
  return new JsonNode({ type: "lazy" }, (zod) => zod.json());
}
