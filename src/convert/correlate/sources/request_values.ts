import { base64Fields } from "../../../traffic/session/base64_text.ts";
import type { FieldPart } from "../../../traffic/session/field_parts.ts";
import {
  dynamicBy,
  isOpaque,
  isShortNumber,
  looksGenerated,
  nameHint,
} from "../../../traffic/session/dynamic_value.ts";
import { PrefilteredSet } from "./prefiltered_set.ts";
import type { RecordedCall } from "../../../traffic/session/recorded_call.ts";
import {
  isPathSegment,
  type RequestField,
  type RequestFieldKind,
} from "../../../traffic/session/request_field.ts";
import { forEachToken, isOneToken, longestToken } from "../../../traffic/session/text_ranges.ts";
import { SHORTEST_IN_COMPOUND } from "../../../traffic/session/value_index.ts";

/** Why a value looks dynamic. */
export interface Sought {
  /**
   * True if the field's name or the value's shape suggests a dynamic value, or if the value looks
   * generated. False if the value is only long and opaque.
   */
  readonly sure: boolean;
  /** True if the field's name suggests a dynamic value. `sure` is then also true. */
  readonly named: boolean;
}

/**
 * Index of the values that requests send. Determines which values in responses are worth
 * extracting.
 */
export interface RequestValues {
  /**
   * Reports whether a request may contain the value. May return false positives, never false
   * negatives.
   */
  mayHold(value: string): boolean;
  /** Values that look dynamic and fill a whole request field. */
  readonly sought: ReadonlyMap<string, Sought>;
  /**
   * Numbers of fewer than four digits that are probably ids: path segments, and values of fields
   * whose name suggests an id.
   */
  readonly shortIds: ReadonlySet<string>;
  readonly neighbours: Neighbours;
}

/**
 * Numbers of fewer than four digits that requests send in the same base64 as a generated value. In
 * `Basic <base64 of "7:k3j9x2m4q8w1">`, the value is `k3j9x2m4q8w1`, and the number is `7`.
 */
export interface Neighbours {
  /** The numbers in the same base64 as each generated value. */
  readonly numbersWith: ReadonlyMap<string, ReadonlySet<string>>;
  /** All these numbers. */
  readonly numbers: ReadonlySet<string>;
}

/** Indexes the values in the fields of all requests. */
export function indexRequestValues(calls: readonly RecordedCall[]): RequestValues {
  const known = new PrefilteredSet(); // whole values, and the tokens within them
  const sought = new Map<string, Sought>();
  const shortIds = new Set<string>();
  const neighbours = { numbersWith: new Map<string, Set<string>>(), numbers: new Set<string>() };
  const repeated = new RepeatedFields();
  const add = (value: string, name: string, inPath: boolean, isText = false) => {
    if (!isText) {
      seek(sought, inPath, name, value);
      if (isShortNumber(value) && (inPath || nameHint(name).idLike)) shortIds.add(value);
    }
    if (known.has(value)) return;
    known.add(value);
    if (isOneToken(value)) return;
    forEachToken(value, (from, to) => known.add(value.slice(from, to)));
  };
  for (const { fields } of calls) {
    for (const field of fields) {
      if (repeated.has(field)) continue;
      const { kind, name, value, schemeLength } = field;
      add(value, name, isPathSegment(field), kind === "text");
      if (schemeLength > 0) add(value.slice(schemeLength), name, false);
      const parts = field.parts();
      for (const part of parts) add(value.slice(part.start, part.end), part.name, part.inPath);
      for (const text of base64Fields(field, parts)) {
        const inner = text.parts();
        add(text.value, text.name, false, inner.length > 0);
        for (const part of inner) {
          add(text.value.slice(part.start, part.end), part.name, part.inPath);
        }
        addNeighbours(neighbours, text.value, inner);
      }
    }
  }
  return {
    mayHold: (value) =>
      known.has(value) || (value.length >= SHORTEST_IN_COMPOUND && containsToken(known, value)),
    sought,
    shortIds,
    neighbours,
  };
}

/** Minimum length of a generated value in `Neighbours`, in characters. */
const SHORTEST_WITH_NUMBER = 12;

/**
 * Adds the short numbers among the parts of a text to the entries of the generated values among
 * them.
 */
function addNeighbours(
  { numbersWith, numbers }: { numbersWith: Map<string, Set<string>>; numbers: Set<string> },
  text: string,
  parts: readonly FieldPart[],
): void {
  const values = parts.map(({ start, end }) => text.slice(start, end));
  const short = values.filter(isShortNumber);
  if (short.length === 0) return;
  for (const value of values) {
    if (value.length < SHORTEST_WITH_NUMBER || !isGeneratedText(value, false)) continue;
    const known = numbersWith.get(value) ?? new Set();
    numbersWith.set(value, known);
    for (const number of short) {
      known.add(number);
      numbers.add(number);
    }
  }
}

function containsToken(known: PrefilteredSet, value: string): boolean {
  const [start, end] = longestToken(value);
  return end - start < value.length && known.has(value.slice(start, end));
}

/**
 * Maximum number of names that `RepeatedFields` remembers for each kind of field, and of values for
 * each name.
 */
const MOST_REMEMBERED = 1_000;

/** Recognizes fields that are the same in several calls, such as most headers. */
class RepeatedFields {
  readonly #byKind = new Map<RequestFieldKind, Map<string, Set<string>>>();

  /**
   * Reports whether an earlier field has the same kind, name and value. May return false if there are
   * many different names or values.
   */
  has({ kind, name, value }: RequestField): boolean {
    let byName = this.#byKind.get(kind);
    if (byName === undefined) this.#byKind.set(kind, byName = new Map());
    let values = byName.get(name);
    if (values === undefined) {
      if (byName.size === MOST_REMEMBERED) return false;
      byName.set(name, values = new Set());
    }
    if (values.has(value)) return true;
    if (values.size < MOST_REMEMBERED) values.add(value);
    return false;
  }
}

const UNSURE: Sought = { sure: false, named: false };
const SURE: Sought = { sure: true, named: false };
const NAMED: Sought = { sure: true, named: true };

function seek(sought: Map<string, Sought>, inPath: boolean, name: string, value: string): void {
  if ((value.length < 4 && !value.startsWith('"')) || isShortNumber(value)) return;
  const by = dynamicBy(name, value);
  const found = by === "name"
    ? NAMED
    : by !== undefined || isGeneratedText(value, inPath)
    ? SURE
    : UNSURE;
  if (found === UNSURE && (inPath || !isOpaque(value))) return;
  const known = sought.get(value);
  if (known === undefined || (found.sure && !known.named)) sought.set(value, found);
}

const PROSE_OR_URL = /\s|^https?:/;

/**
 * Reports whether a value looks generated and is so long that equal text elsewhere is unlikely to
 * be a coincidence.
 */
function isGeneratedText(value: string, inPath: boolean): boolean {
  return value.length >= (inPath ? 8 : 6) && value.length <= LONGEST_GENERATED &&
    !PROSE_OR_URL.test(value) && looksGenerated(value);
}

/**
 * Maximum length of a generated value in UTF-16 code units. Longer values are probably documents.
 */
const LONGEST_GENERATED = 2 ** 20;
