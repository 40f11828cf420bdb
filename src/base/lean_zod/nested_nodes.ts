import type { z } from "zod";
import { SchemaNode, type Shape } from "./schema_node.ts";

/** Schema for maps whose keys are known. */
export class ObjectNode extends SchemaNode {
  /** Returns a schema for maps. `shape` is called when the keys are needed for the first time. */
  static create(shape: () => Shape): ObjectNode {
    let found: Shape | undefined;
    // The spread calls getters only once, so that each key always has the same schema.
    const keep = () => found ??= { ...shape() };
    return new ObjectNode({ type: "object", shape: keep }, (zod, convert) => {
      const converted: Record<string, z.ZodType> = {};
      for (const [key, schema] of Object.entries(keep())) {
        Object.defineProperty(converted, key, { enumerable: true, get: () => convert(schema) });
      }
      return zod.strictObject(converted);
    });
  }

  get shape(): Shape {
    return this.def.shape!();
  }

  /** Returns a schema for maps with the keys of this schema and of `shape`. */
  extend(shape: Shape): ObjectNode {
    return ObjectNode.create(() => ({ ...this.shape, ...shape }));
  }
}

/** Schema for maps with any keys. */
export class RecordNode extends SchemaNode {
  get valueType(): SchemaNode {
    return this.def.valueType!;
  }
}

/** Schema for lists. */
export class ArrayNode extends SchemaNode {
  get element(): SchemaNode {
    return this.def.element!;
  }

  /** Returns a schema for lists with at least `length` items. */
  min(length: number): this {
    return this.withCheck(
      {
        _zod: { def: { check: "min_length" } },
        issue: { code: "too_small", message: "Invalid input", continue: true },
        accepts: (list: readonly unknown[]) => list.length >= length,
      },
      (_, convert) => (convert(this) as z.ZodArray).min(length),
    );
  }
}

/** Schema for lists with one item for each schema in `def.items`. */
export class TupleNode extends SchemaNode {}

/** Schema for the values that at least one of several schemas accepts. */
export class UnionNode extends SchemaNode {
  get options(): readonly SchemaNode[] {
    return this.def.options!;
  }
}

/** Schema for maps. The value of one key, the discriminator, selects one of several schemas. */
export class DiscriminatedUnionNode extends UnionNode {}

/** Schema for any JSON value. */
export class JsonNode extends SchemaNode {}
