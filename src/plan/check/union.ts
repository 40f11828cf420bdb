import * as z from "zod";
import { type MapSchema, type SchemaNode, unwrap } from "../values/schema_walk.ts";

/** A discriminated union of map schemas. */
export interface Union {
  /** Key whose value selects an option, such as `type`. */
  readonly discriminator: string;
  /** The map schemas, by the value of the discriminator that selects them. */
  readonly options: ReadonlyMap<string, MapSchema>;
}

/**
 * Returns the discriminated union in `schema` that has `branch` as an option, or undefined if no
 * union in `schema` has that option.
 */
export function unionFor(schema: SchemaNode, branch: MapSchema): Union | undefined {
  const union = findUnion(unwrap(schema));
  return union && Object.hasOwn(branch.shape, union.discriminator) ? union : undefined;
}

/** Returns the discriminator values of the options that have the key `key`. */
export function keyOwners(union: Union, key: string): string[] {
  return [...union.options].filter(([, { shape }]) => Object.hasOwn(shape, key))
    .map(([name]) => name);
}

function findUnion(schema: SchemaNode): Union | undefined {
  if (schema instanceof z.ZodDiscriminatedUnion) {
    const { discriminator, options } = schema.def;
    const named = (options as MapSchema[]).map((option) => {
      const literal = option.shape[discriminator] as z.ZodLiteral;
      return [String(literal.value), option] as const;
    });
    return { discriminator, options: new Map(named) };
  }
  if (!(schema instanceof z.ZodUnion)) return undefined;
  for (const option of schema.options) {
    const union = findUnion(option);
    if (union) return union;
  }
  return undefined;
}
