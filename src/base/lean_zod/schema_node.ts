import type { z } from "zod";

/** Metadata of a schema, used in the generated JSON Schema and in the docs. */
export interface Meta {
  /** Name under which the JSON Schema defines the schema. */
  readonly id?: string;
  readonly description?: string;
  readonly examples?: readonly unknown[];
}

/** Reason why a schema rejects a value. */
export interface Issue {
  /** Kind of the issue, as in zod. */
  readonly code: string;
  readonly message: string;
  /** Whether the value has the right type but fails a check. */
  readonly continue: boolean;
}

/** Requirement on a value in addition to its type. */
export interface Check {
  readonly _zod: {
    readonly def: { readonly check: string; readonly value?: number; readonly inclusive?: boolean };
  };
  /** Issue to report for a value that the check rejects. */
  readonly issue: Issue;
  readonly accepts: (value: never) => boolean;
}

/** Content of a schema, under the names that zod uses. */
export interface Def {
  readonly type: string;
  readonly checks?: readonly Check[];
  /** Schema that an optional schema wraps. */
  readonly innerType?: SchemaNode;
  /** Schemas that a union combines. */
  readonly options?: readonly SchemaNode[];
  /** Key whose value selects the option of a discriminated union. */
  readonly discriminator?: string;
  /** Schema for the items of a list. */
  readonly element?: SchemaNode;
  /** Schemas for the items of a tuple. */
  readonly items?: readonly SchemaNode[];
  /** Returns the schemas for the values of a map, by key. Always returns the same object. */
  readonly shape?: () => Shape;
  /** Schema for the values of a record. */
  readonly valueType?: SchemaNode;
  /** Values that a literal or an enumeration accepts. */
  readonly values?: readonly Scalar[];
}

/** Schemas for the values of a map, by key. Getters allow a schema to contain itself. */
export type Shape = Readonly<Record<string, SchemaNode>>;

/** A value that a literal or an enumeration accepts. */
export type Scalar = string | number | boolean;

/**
 * Creates the equivalent zod schema. `convert` returns the zod equivalent of an inner schema, such
 * as the schema for a list's items.
 */
export type Recipe = (zod: typeof z, convert: (schema: SchemaNode) => z.ZodType) => z.ZodType;

/** Message of an issue, in one of the forms that zod accepts. */
export type Message = string | { readonly error: string };

/** An immutable schema. Methods such as `optional` and `describe` return a new schema. */
export class SchemaNode {
  readonly def: Def;
  readonly recipe: Recipe;
  /**
   * Schema that this schema extends with a check or metadata. Undefined if this schema does not
   * extend another schema.
   */
  readonly parent: SchemaNode | undefined;
  readonly #meta: Meta | undefined;

  constructor(def: Def, recipe: Recipe, parent?: SchemaNode, meta?: Meta) {
    this.def = def;
    this.recipe = recipe;
    this.parent = parent;
    this.#meta = meta;
  }

  /** The schema itself. zod stores the same properties in an object under this name. */
  get _zod(): this {
    return this;
  }

  /** `"optional"` if a map may omit the value, otherwise undefined. */
  get optin(): "optional" | undefined {
    return undefined;
  }

  get description(): string | undefined {
    return this.meta()?.description;
  }

  optional(): OptionalNode {
    const def = { type: "optional", innerType: this };
    return new OptionalNode(def, (_, convert) => convert(this).optional());
  }

  describe(description: string): this {
    return this.meta({ description });
  }

  /**
   * Returns the metadata of this schema and its parents, without the parents' ids. Returns
   * undefined if they have no metadata.
   */
  meta(): Meta | undefined;
  /** Returns a copy of this schema that also has the metadata `own`. */
  meta(own: Meta): this;
  meta(own?: Meta): this | Meta | undefined {
    if (own !== undefined) {
      return this.derive(this.def, (_, convert) => convert(this).meta({ ...own }), own);
    }
    const { id: _, ...inherited } = this.parent?.meta() ?? {};
    const all = { ...inherited, ...this.#meta };
    return Object.keys(all).length > 0 ? all : undefined;
  }

  refine(accepts: (value: never) => boolean, message: Message): this {
    const issue = { code: "custom", message: messageText(message), continue: true };
    const check = { _zod: { def: { check: "custom" } }, issue, accepts };
    return this.withCheck(
      check,
      (_, convert) => convert(this).refine(accepts as (value: unknown) => boolean, message),
    );
  }

  /** Returns a schema with one more check. */
  protected withCheck(check: Check, recipe: Recipe): this {
    return this.derive({ ...this.def, checks: [...this.def.checks ?? [], check] }, recipe);
  }

  protected derive(def: Def, recipe: Recipe, meta?: Meta): this {
    const type = this.constructor as new (
      ...args: ConstructorParameters<typeof SchemaNode>
    ) => this;
    return new type(def, recipe, this, meta);
  }
}

/** Schema for a value that a map may omit. */
export class OptionalNode extends SchemaNode {
  override get optin(): "optional" {
    return "optional";
  }

  unwrap(): SchemaNode {
    return this.def.innerType!;
  }
}

/** Returns the text of a message. */
export function messageText(message: Message): string {
  return typeof message === "string" ? message : message.error;
}
