import { isWordy } from "../../traffic/session/dynamic_value.ts";
import type { FieldPart } from "../../traffic/session/field_parts.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { RequestField, RequestFieldKind } from "../../traffic/session/request_field.ts";
import { Base64Field, base64Fields } from "../../traffic/session/base64_text.ts";
import { withoutOverlaps } from "../../traffic/session/text_ranges.ts";
import {
  type Found,
  SHORTEST_IN_COMPOUND,
  SHORTEST_WITHIN,
  ValueIndex,
} from "../../traffic/session/value_index.ts";
import { EncodedSecrets } from "./encoded_secrets.ts";

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
   * What the occurrence fills: the whole field, or everything after a header's auth scheme
   * (`whole`); one part of a structured field, such as a path segment of a URL or a string in JSON
   * (`part`); or only a piece of the field or part (`piece`). The value of a piece has at least 8
   * UTF-16 code units, or at least 4 if it contains a digit, and is not a word within a text with
   * white space.
   */
  readonly fills: "whole" | "part" | "piece";
  /** The part of the field that the occurrence fills. Absent unless `fills` is `part`. */
  readonly part?: FieldPart;
  /**
   * True if the value has fewer than 8 UTF-16 code units and is part of a longer text without
   * spaces.
   */
  readonly inCompound?: true;
}

/** A set of values to find in requests. */
export interface UsedValues {
  has(value: string): boolean;
  values(): Iterable<string>;
}

/**
 * Finds the occurrences of `values` in requests, in the order in which they are sent. They can
 * overlap.
 */
export function findUsages(calls: readonly RecordedCall[], values: UsedValues): Usage[] {
  const search = new UsageSearch(values, calls);
  const found: Usage[] = [];
  if (search.isEmpty) return found;
  for (const call of calls) {
    for (const field of call.fields) {
      search.find(call, field, found);
    }
  }
  return found;
}

const NONE: readonly Usage[] = [];
const NOT_FOUND: readonly Found[] = [];

class UsageSearch {
  readonly #values: UsedValues;
  readonly #secrets: EncodedSecrets;
  readonly #long = new ValueIndex();
  readonly #short = new ValueIndex(SHORTEST_IN_COMPOUND);
  /**
   * Cache of values in which nothing was found, by the kind of their field. Most of them are the
   * same in many calls, and are searched only once.
   */
  readonly #unused: Partial<Record<RequestFieldKind, Set<string>>> = {
    header: new Set(),
    path: new Set(),
    query: new Set(),
  };

  /** True if there is no value to find. */
  isEmpty = true;

  constructor(values: UsedValues, calls: readonly RecordedCall[]) {
    this.#values = values;
    this.#secrets = new EncodedSecrets(calls);
    for (const value of values.values()) {
      this.isEmpty = false;
      if (value.length >= SHORTEST_WITHIN) this.#long.add(value);
      else if (/\d/.test(value)) this.#short.add(value);
    }
  }

  /**
   * Appends the occurrences in a field to `found`, in order, followed by those in the texts that the
   * field contains in base64.
   */
  find(call: RecordedCall, field: RequestField, found: Usage[]): void {
    const unused = this.#unused[field.kind];
    if (unused?.has(field.value)) return;
    const before = found.length;
    const parts = field.parts();
    for (const usage of this.#findIn(call, field, parts)) found.push(usage);
    for (const text of base64Fields(field, parts)) {
      const inText = this.#findIn(call, text, text.parts());
      if (inText.length > 0 && !this.#secrets.isIn(text, inText)) found.push(...inText);
    }
    if (found.length === before) unused?.add(field.value);
  }

  #findIn(
    call: RecordedCall,
    field: RequestField,
    allParts: readonly FieldPart[],
  ): readonly Usage[] {
    const filling = this.#findFilling(call, field, allParts);
    const pieces = this.#findPieces(call, field, allParts, filling);
    if (filling.length + pieces.length > 1) return [...filling, ...pieces].sort(byRange);
    return pieces.length === 0 ? filling : pieces;
  }

  /** Finds the occurrences that fill the whole field or a part of it. */
  #findFilling(
    call: RecordedCall,
    field: RequestField,
    parts: readonly FieldPart[],
  ): readonly Usage[] {
    const { value, schemeLength: start } = field;
    const { length: end } = value;
    let found = NONE;
    if (this.#values.has(value)) found = [{ value, call, field, start: 0, end, fills: "whole" }];
    if (start > 0) {
      const rest = value.slice(start);
      if (this.#values.has(rest)) {
        found = [...found, { value: rest, call, field, start, end, fills: "whole" }];
      }
    }
    return parts.length === 0 ? found : [...found, ...this.#findParts(call, field, parts)];
  }

  #findParts(call: RecordedCall, field: RequestField, allParts: readonly FieldPart[]): Usage[] {
    const parts: Usage[] = [];
    for (const part of allParts) {
      const { start, end } = part;
      const value = field.value.slice(start, end);
      if (this.#values.has(value)) {
        parts.push({ value, call, field, start, end, fills: "part", part });
      }
    }
    return parts;
  }

  /**
   * Finds the occurrences of values in a field that fill neither the field nor one of its parts.
   * `filling` contains the occurrences that do.
   */
  #findPieces(
    call: RecordedCall,
    field: RequestField,
    allParts: readonly FieldPart[],
    filling: readonly Usage[],
  ): readonly Usage[] {
    const long = this.#long.findAll(field.value);
    const short = this.#findShort(field, allParts);
    if (long.length + short.length === 0) return NONE;
    // In most cases, the only occurrence fills the field.
    if (
      long.length === 1 && short.length === 0 && filling.length === 1 && isSame(long[0], filling[0])
    ) {
      return NONE;
    }
    const taken = new Set(filling.map(rangeKey));
    const pieces: Usage[] = [];
    for (const found of long) {
      const { value, start, end } = found;
      if (!taken.has(rangeKey(found)) && !isWordInProse(value, field.value)) {
        pieces.push({ value, call, field, start, end, fills: "piece" });
      }
    }
    for (const found of short) {
      const { value, start, end } = found;
      if (!taken.has(rangeKey(found))) {
        pieces.push({ value, call, field, start, end, fills: "piece", inCompound: true });
      }
    }
    return pieces;
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

/** Compares ranges by their start. If two ranges start at the same offset, the longer is first. */
function byRange(a: Found, b: Found): number {
  return a.start - b.start || b.end - a.end;
}

/**
 * Returns the occurrences that other occurrences cover or overlap, so that a plan cannot replace
 * all of them. Considers only the values for which `accepts` returns true. `usages` must be the
 * result of `findUsages`.
 */
export function coveredUsages(
  usages: readonly Usage[],
  accepts: (value: string) => boolean,
): ReadonlySet<Usage> {
  const covered = new Set<Usage>();
  /** Occurrences in the last field that is not text in base64. */
  let outer = NONE;
  for (let from = 0, to = 1; from < usages.length; from = to++) {
    const { field } = usages[from];
    while (to < usages.length && usages[to].field === field) to++;
    if (field instanceof Base64Field) {
      const isReplaced = outer.some((usage) =>
        usage.field === field.outer && usage.start < field.end && field.start < usage.end &&
        accepts(usage.value)
      );
      if (isReplaced) {
        for (const usage of usages.slice(from, to)) if (accepts(usage.value)) covered.add(usage);
        continue;
      }
    } else outer = usages.slice(from, to);
    if (to - from === 1) continue;
    const inField = usages.slice(from, to).filter(({ value }) => accepts(value));
    const uncovered = new Set(withoutOverlapping(inField));
    for (const usage of inField) if (!uncovered.has(usage)) covered.add(usage);
  }
  return covered;
}

/**
 * Selects those occurrences in a field that do not overlap. If a value fills the whole field,
 * returns only that occurrence. Otherwise, prefers values that fill a part of the field.
 */
function withoutOverlapping(usages: readonly Usage[]): Usage[] {
  const whole = usages.find(({ fills }) => fills === "whole");
  if (whole !== undefined) return [whole];
  const longest = withoutOverlaps(usages.filter(({ fills }) => fills === "piece"));
  return withoutOverlaps([...usages.filter(({ fills }) => fills === "part"), ...longest]);
}

/**
 * Returns the elements that `test` accepts. Allocates no memory if it accepts all of them or none,
 * so that the many values with one occurrence share a list.
 */
export function filtered<T>(
  list: readonly T[],
  test: (element: T) => boolean,
): readonly T[] {
  if (list.every(test)) return list;
  const accepted = list.filter(test);
  return accepted.length === 0 ? NOTHING : accepted;
}

const NOTHING: readonly [] = [];
