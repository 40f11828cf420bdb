import { isWordy } from "../../traffic/session/dynamic_value.ts";
import type { FieldPart } from "../../traffic/session/field_parts.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestField } from "../../traffic/session/request_field.ts";
import { withoutOverlaps } from "../../traffic/session/text_ranges.ts";
import {
  type Found,
  SHORTEST_IN_COMPOUND,
  SHORTEST_WITHIN,
  ValueIndex,
} from "../../traffic/session/value_index.ts";

/** An occurrence of a value in a request field. */
export interface Usage {
  readonly value: string;
  readonly call: RecordedCall;
  readonly field: RequestField;
  /**
   * Start of the occurrence within the field's decoded value, in UTF-16 code units. `end` is
   * exclusive.
   */
  readonly start: number;
  readonly end: number;
  /**
   * The part of the field that the occurrence fills, such as a path segment of a URL. Absent if the
   * occurrence fills the whole field or is only a piece of a part.
   */
  readonly part?: FieldPart;
  /**
   * True if the value has fewer than 8 UTF-16 code units and is part of a longer text without
   * spaces.
   */
  readonly inCompound?: true;
}

/** Occurrences of the searched values in one field of a request. The occurrences can overlap. */
export interface FieldUsages {
  /** Occurrences that fill the whole field, or everything after a header's auth scheme. */
  readonly wholes: readonly Usage[];
  /**
   * Occurrences that fill one part of a structured field, such as a path segment of a URL or a
   * string in JSON.
   */
  readonly parts: readonly Usage[];
  /**
   * Occurrences that fill neither the whole field nor one of its parts. The values have at least 8
   * UTF-16 code units, or at least 4 if they contain a digit. Excludes words within a text with
   * white space.
   */
  readonly within: readonly Usage[];
}

/** A set of values to find in requests. */
export interface UsedValues {
  has(value: string): boolean;
  values(): Iterable<string>;
}

/**
 * Finds the occurrences of `values` in requests. Returns one element per field that has any, in the
 * order in which the fields are sent.
 */
export function findUsages(calls: readonly RecordedCall[], values: UsedValues): FieldUsages[] {
  const search = new UsageSearch(values);
  const found: FieldUsages[] = [];
  for (const call of calls) {
    for (const field of call.fields) {
      const usages = search.find(call, field);
      if (usages !== undefined) found.push(usages);
    }
  }
  return found;
}

const NONE: readonly Usage[] = [];
const NOT_FOUND: readonly Found[] = [];

class UsageSearch {
  readonly #values: UsedValues;
  readonly #long = new ValueIndex();
  readonly #short = new ValueIndex(SHORTEST_IN_COMPOUND);
  /**
   * Cache of headers in which nothing was found. Most headers are the same in many calls, and are
   * searched only once.
   */
  readonly #unused = new Set<string>();

  constructor(values: UsedValues) {
    this.#values = values;
    for (const value of values.values()) {
      if (value.length >= SHORTEST_WITHIN) this.#long.add(value);
      else if (/\d/.test(value)) this.#short.add(value);
    }
  }

  /** Returns the occurrences in a field, or undefined if the field contains none of the values. */
  find(call: RecordedCall, field: RequestField): FieldUsages | undefined {
    if (field.kind === "header" && this.#unused.has(field.value)) return undefined;
    const { value } = field;
    const { length } = value;
    let wholes = NONE;
    if (this.#values.has(value)) wholes = [{ value, call, field, start: 0, end: length }];
    const start = field.schemeLength;
    if (start > 0) {
      const rest = value.slice(start);
      if (this.#values.has(rest)) {
        wholes = [...wholes, { value: rest, call, field, start, end: length }];
      }
    }
    const allParts = field.parts();
    const parts = allParts.length === 0 ? NONE : this.#findParts(call, field, allParts);
    const within = this.#findWithin(call, field, allParts, wholes, parts);
    if (wholes.length + parts.length + within.length > 0) return { wholes, parts, within };
    if (field.kind === "header") this.#unused.add(value);
    return undefined;
  }

  #findParts(call: RecordedCall, field: RequestField, allParts: readonly FieldPart[]): Usage[] {
    const parts: Usage[] = [];
    for (const part of allParts) {
      const { start, end } = part;
      const value = field.value.slice(start, end);
      if (this.#values.has(value)) parts.push({ value, call, field, start, end, part });
    }
    return parts;
  }

  /**
   * Finds the occurrences of values in a field that are neither the whole field (`wholes`) nor one
   * of its parts (`parts`).
   */
  #findWithin(
    call: RecordedCall,
    field: RequestField,
    allParts: readonly FieldPart[],
    wholes: readonly Usage[],
    parts: readonly Usage[],
  ): readonly Usage[] {
    const long = this.#long.findAll(field.value);
    const short = this.#findShort(field, allParts);
    if (long.length + short.length === 0) return NONE;
    // In most cases, the only occurrence is the whole field.
    if (
      long.length === 1 && short.length === 0 && wholes.length === 1 && isSame(long[0], wholes[0])
    ) {
      return NONE;
    }
    const taken = new Set([...wholes, ...parts].map(rangeKey));
    const within: Usage[] = [];
    for (const found of long) {
      if (!taken.has(rangeKey(found)) && !isWordInProse(found.value, field.value)) {
        within.push({ ...found, call, field });
      }
    }
    for (const found of short) {
      if (!taken.has(rangeKey(found))) within.push({ ...found, call, field, inCompound: true });
    }
    return within;
  }

  /**
   * Finds values of 4 to 7 UTF-16 code units that contain a digit. Searches the whole field if it
   * contains no white space, otherwise only those of `parts` that contain none. Ignores values
   * inside a longer number, date, time or address.
   */
  #findShort(field: RequestField, parts: readonly FieldPart[]): readonly Found[] {
    if (field.numeric || this.#short.isEmpty) return NOT_FOUND;
    const compounds = isCompound(field.value)
      ? [{ start: 0, end: field.value.length }]
      : parts.filter(({ start, end }) => isCompound(field.value.slice(start, end)));
    return compounds.flatMap(({ start: at, end: until }) => {
      const text = field.value.slice(at, until);
      return this.#short.findAll(text).filter(({ start, end }) => !isInNumber(text, start, end))
        .map(({ value, start, end }) => ({ value, start: at + start, end: at + end }));
    });
  }
}

/**
 * Reports whether a value consists of words, and `text` contains white space. `text` is then prose
 * or code, such as a GraphQL query, and contains the words also on a server with other values.
 */
function isWordInProse(value: string, text: string): boolean {
  return isWordy(value) && /\s/.test(text);
}

function isSame(a: Found, b: Found): boolean {
  return a.start === b.start && a.end === b.end;
}

/**
 * Returns a number that identifies a range of a string with fewer than 2 ** 26 UTF-16 code units.
 */
function rangeKey({ start, end }: Pick<Found, "start" | "end">): number {
  return start * 2 ** 26 + end;
}

/** Maximum length of a string that is searched for short values, in UTF-16 code units. */
const LONGEST_COMPOUND = 8_192;

/**
 * Reports whether a string is short enough to be searched for short values, and contains no white
 * space, so it is not prose.
 */
function isCompound(text: string): boolean {
  return text.length <= LONGEST_COMPOUND && !/\s/.test(text);
}

/** Reports whether a range of text belongs to a longer number, date, time or address. */
function isInNumber(text: string, start: number, end: number): boolean {
  return /\d[.:-]$/.test(text.slice(Math.max(0, start - 2), start)) ||
    /^[.:-]\d/.test(text.slice(end, end + 2));
}

/**
 * Selects non-overlapping occurrences of the values for which `accepts` returns true. If such a
 * value fills the whole field, returns only that occurrence.
 */
export function withoutCovered(
  { wholes, parts, within }: FieldUsages,
  accepts: (value: string) => boolean,
): Usage[] {
  const accepted = ({ value }: Usage) => accepts(value);
  const whole = wholes.find(accepted);
  if (whole !== undefined) return [whole];
  const longest = withoutOverlaps(within.filter(accepted));
  return withoutOverlaps([...parts.filter(accepted), ...longest]);
}
