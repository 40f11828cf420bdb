import { z } from "zod";

/** The language half of a variant: its schema and what else its family requires. */
interface Variant {
  readonly schema: z.ZodObject;
}

/** Requires that `Registry` has each variant under the value of `Key` that selects it. */
type Named<Key extends string, Registry> = {
  readonly [Kind in keyof Registry]: {
    readonly schema: z.ZodObject<{ readonly [K in Key]: z.ZodLiteral<Kind & string> }>;
  };
};

/** The schema of maps of which the value under `Key` selects one of the variants in `Registry`. */
export type UnionOf<Key extends string, Registry extends Readonly<Record<string, Variant>>> =
  z.ZodDiscriminatedUnion<
    [Registry[keyof Registry]["schema"], ...Registry[keyof Registry]["schema"][]],
    Key
  >;

/**
 * Returns the schema of maps of which the value under `key` selects one of the variants. The options
 * have the order of the registry.
 */
export function unionOf<Key extends string, Registry extends Readonly<Record<string, Variant>>>(
  key: Key,
  registry: Registry & Named<Key, Registry>,
): UnionOf<Key, Registry> {
  const schemas: Registry[keyof Registry]["schema"][] = [];
  for (const kind in registry) schemas.push(registry[kind].schema);
  const [first, ...others] = schemas;
  return z.discriminatedUnion(key, [first, ...others]);
}

/** The schemas of variants, by kind. */
export type ShapeOf<Registry extends Readonly<Record<string, { readonly schema: z.ZodType }>>> = {
  readonly [Kind in keyof Registry]: Registry[Kind]["schema"];
};

/** Returns the shape of a map that has the kinds of variants as its keys, in their order. */
export function shapeOf<Registry extends Readonly<Record<string, { readonly schema: z.ZodType }>>>(
  registry: Registry,
): ShapeOf<Registry> {
  const schemas = Object.entries(registry).map(([kind, { schema }]) => [kind, schema]);
  return Object.fromEntries(schemas);
}
