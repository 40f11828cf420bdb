import * as z from "zod";

/** Properties that the definitions of all kinds in a registry have in common. */
interface Variant {
  readonly schema: z.ZodObject;
}

/**
 * Requires that the schema of each kind has, under `Key`, a literal that equals the kind's key in
 * the registry.
 */
type Named<Key extends string, Registry> = {
  readonly [Kind in keyof Registry]: {
    readonly schema: z.ZodObject<{ readonly [K in Key]: z.ZodLiteral<Kind & string> }>;
  };
};

/** The type of a discriminated union with the schemas of all kinds in `Registry`. */
export type UnionOf<Key extends string, Registry extends Readonly<Record<string, Variant>>> =
  z.ZodDiscriminatedUnion<
    [Registry[keyof Registry]["schema"], ...Registry[keyof Registry]["schema"][]],
    Key
  >;

/**
 * Returns the schema of maps in which the value under `key` selects a kind. Its options are the
 * schemas of the kinds in `registry`, in the same order. In the schema of each kind, the value
 * under `key` must be a literal that equals the kind's key in `registry`.
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

/**
 * Object type that maps each kind in `Registry` to the schema of that kind.
 */
export type ShapeOf<Registry extends Readonly<Record<string, { readonly schema: z.ZodType }>>> = {
  readonly [Kind in keyof Registry]: Registry[Kind]["schema"];
};

/**
 * Returns a map shape with the schema of each kind in `registry` under the key of that kind, in the
 * same order.
 */
export function shapeOf<Registry extends Readonly<Record<string, { readonly schema: z.ZodType }>>>(
  registry: Registry,
): ShapeOf<Registry> {
  const schemas = Object.entries(registry).map(([kind, { schema }]) => [kind, schema]);
  return Object.fromEntries(schemas);
}

/**
 * Returns a function that calls `create` when it is first called. Every call returns the result of
 * that first call.
 */
export function once<Result>(create: () => Result): () => Result {
  let result: { readonly value: Result } | undefined;
  return () => (result ??= { value: create() }).value;
}
