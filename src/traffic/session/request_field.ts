/** The part of a request that a field belongs to. */
export type RequestFieldKind = "path" | "query" | "form" | "multipart" | "header" | "json" | "text";

/**
 * A part of a request that consists of one value, such as a path segment, a header or a JSON leaf.
 */
export class RequestField {
  readonly kind: RequestFieldKind;
  /** Name of the parameter, header or member. Empty if the field has no name. */
  readonly name: string;
  /** The text in the request, encoded as recorded. */
  readonly recorded: string;
  /** The decoded value: percent-decoded in a URL, otherwise equal to `recorded`. */
  readonly value: string;
  /** True if the field is a number in a JSON body. */
  readonly numeric: boolean;
  /**
   * Maps each offset in `value`, including its end, to an offset in `recorded`. Undefined if the
   * offsets are equal.
   */
  readonly #offsets: readonly number[] | undefined;

  constructor(kind: RequestFieldKind, name: string, recorded: string, options: FieldOptions = {}) {
    this.kind = kind;
    this.name = name;
    this.recorded = recorded;
    this.value = options.value ?? recorded;
    this.numeric = options.numeric ?? false;
    this.#offsets = options.offsets;
  }

  /**
   * Returns the ranges of `value` that count as a whole value: the full range and, for a header with an
   * auth scheme such as `Bearer`, the part after the scheme.
   */
  wholes(): readonly (readonly [start: number, end: number])[] {
    const whole = [0, this.value.length] as const;
    if (this.kind !== "header") return [whole];
    const scheme = /^[A-Za-z][\w-]* +(?=\S+$)/.exec(this.value);
    return scheme ? [whole, [scheme[0].length, this.value.length]] : [whole];
  }

  /**
   * Returns the ranges of path segments and parameter values in a header whose value is a URL, such as
   * `Referer`. Returns an empty list for other fields.
   */
  addressParts(): readonly (readonly [start: number, end: number])[] {
    const host = this.kind === "header"
      ? /^https?:\/\/[^/?#]*/i.exec(this.value)?.[0].length
      : undefined;
    if (host === undefined) return [];
    return [...this.value.slice(host).matchAll(/(?<=[/=])[^/?#&=]+/g)].map(({ 0: part, index }) =>
      [host + index, host + index + part.length] as const
    );
  }

  /** Converts a range of `value` to the corresponding range of `recorded`. */
  recordedRange(start: number, end: number): [start: number, end: number] {
    const offsets = this.#offsets;
    return offsets ? [offsets[start], offsets[end]] : [start, end];
  }
}

interface FieldOptions {
  readonly value?: string;
  readonly numeric?: boolean;
  readonly offsets?: readonly number[];
}
