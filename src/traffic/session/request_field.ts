import { type FieldPart, fieldParts } from "./field_parts.ts";

/**
 * The part of a request to which a field belongs. `name` means that the field is itself the name of
 * a parameter, form field or JSON member.
 */
export type RequestFieldKind =
  | "path"
  | "query"
  | "form"
  | "multipart"
  | "header"
  | "json"
  | "text"
  | "name";

/** Matches a header that consists of an auth scheme, spaces, and one more word. */
const AUTH_SCHEME = /^[A-Za-z][\w-]* +\S+$/;

/**
 * A part of a request that consists of one value, such as a path segment, a header or a JSON leaf.
 */
export class RequestField {
  readonly kind: RequestFieldKind;
  /**
   * Name of the parameter, header or member. Empty if the field has no name, as for path segments
   * and for fields of kind `name`.
   */
  readonly name: string;
  /** The text in the request, with the percent-encoding of the recording. */
  readonly recorded: string;
  /** The decoded value: percent-decoded in a URL, otherwise equal to `recorded`. */
  readonly value: string;

  constructor(kind: RequestFieldKind, name: string, recorded: string, value: string = recorded) {
    this.kind = kind;
    this.name = name;
    this.recorded = recorded;
    this.value = value;
  }

  /** True if the field is a number in a JSON body. */
  get numeric(): boolean {
    return false;
  }

  /**
   * Returns the ranges of `value` that count as a whole value: the full range and, for a header
   * with an auth scheme such as `Bearer`, the part after the scheme.
   */
  wholes(): readonly (readonly [start: number, end: number])[] {
    const whole = [0, this.value.length] as const;
    const { schemeLength } = this;
    return schemeLength > 0 ? [whole, [schemeLength, this.value.length]] : [whole];
  }

  /**
   * Length of the auth scheme and the spaces after it; 0 if the field is not a header with an auth
   * scheme.
   */
  get schemeLength(): number {
    if (this.kind !== "header" || !this.value.includes(" ")) return 0;
    return AUTH_SCHEME.test(this.value) ? this.value.lastIndexOf(" ") + 1 : 0;
  }

  /**
   * Returns the parts of a value that is a URL, a path, JSON, XML or an entity tag. Returns an
   * empty list for any other value.
   */
  parts(): readonly FieldPart[] {
    return this.numeric || this.value.length < 3 ? NO_PARTS : fieldParts(this.value, this.name);
  }

  /** Converts a range of `value` to the corresponding range of `recorded`. */
  recordedRange(start: number, end: number): [start: number, end: number] {
    return [start, end];
  }
}

/** A field that is a number in a JSON body. */
export class NumberField extends RequestField {
  override get numeric(): boolean {
    return true;
  }
}

const NO_PARTS: readonly FieldPart[] = [];

/** Reports whether a field is a path segment, not a path parameter. */
export function isPathSegment({ kind, name }: RequestField): boolean {
  return kind === "path" && name === "";
}

/**
 * Reports whether the name of a parameter, form field or JSON member may contain a server-generated
 * value. May return false positives, never false negatives.
 */
export function holdsValue(name: string): boolean {
  return /\d/.test(name);
}
