import type { z } from "zod";
import { type Check, type Message, messageText, type Scalar, SchemaNode } from "./schema_node.ts";

const INTEGER = "number_format";

/** Schema for strings. Lengths are in UTF-16 code units. */
export class StringNode extends SchemaNode {
  regex(pattern: RegExp, message: Message): this {
    const check = {
      _zod: { def: { check: "string_format" } },
      issue: { code: "invalid_format", message: messageText(message), continue: true },
      accepts: (value: string) => pattern.test(value),
    };
    return this.withCheck(
      check,
      (_, convert) => (convert(this) as z.ZodString).regex(pattern, message),
    );
  }

  length(length: number): this {
    return this.withCheck(
      limit("length_equals", (value: string) => value.length === length),
      (_, convert) => (convert(this) as z.ZodString).length(length),
    );
  }

  max(length: number): this {
    return this.withCheck(
      limit("max_length", (value: string) => value.length <= length),
      (_, convert) => (convert(this) as z.ZodString).max(length),
    );
  }
}

/** Schema for finite numbers. */
export class NumberNode extends SchemaNode {
  /** Whether the schema accepts only integers. */
  get isInt(): boolean {
    return this.def.checks?.some((check) => check._zod.def.check === INTEGER) ?? false;
  }

  min(value: number): this {
    return this.withCheck(
      limit("greater_than", (given: number) => given >= value, { value, inclusive: true }),
      (_, convert) => (convert(this) as z.ZodNumber).min(value),
    );
  }

  max(value: number): this {
    return this.withCheck(
      limit("less_than", (given: number) => given <= value, { value, inclusive: true }),
      (_, convert) => (convert(this) as z.ZodNumber).max(value),
    );
  }

  positive(): this {
    return this.withCheck(
      limit("greater_than", (given: number) => given > 0, { value: 0, inclusive: false }),
      (_, convert) => (convert(this) as z.ZodNumber).positive(),
    );
  }
}

/** Schema for true and false. */
export class BooleanNode extends SchemaNode {}

/** Schema for null. */
export class NullNode extends SchemaNode {}

/** Schema for strings that must be in a fixed list. */
export class EnumNode extends SchemaNode {
  get options(): readonly Scalar[] {
    return this.def.values!;
  }
}

/** Schema for a fixed value. */
export class LiteralNode extends SchemaNode {
  /** A set that contains only the accepted value. */
  readonly values: ReadonlySet<Scalar> = new Set(this.def.values);

  get value(): Scalar {
    return this.def.values![0];
  }
}

/** Accepts the same numbers as `z.int`: integers from -(2^53 - 1) to 2^53 - 1. */
export const INTEGER_CHECK: Check = limit(INTEGER, Number.isSafeInteger);

/**
 * Returns a check that requires `accepts` to return true. `bound` is the limit that the check
 * enforces, if any.
 */
function limit(
  check: string,
  accepts: Check["accepts"],
  bound?: { readonly value: number; readonly inclusive: boolean },
): Check {
  const issue = { code: "out_of_range", message: "Invalid input", continue: true };
  return { _zod: { def: { check, ...bound } }, issue, accepts };
}
