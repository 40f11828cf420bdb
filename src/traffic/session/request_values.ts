import { dynamicBy, isOpaque, isShortNumber, looksGenerated, nameHint } from "./dynamic_value.ts";
import { PrefilteredSet } from "./prefiltered_set.ts";
import type { RecordedCall } from "./recorded_call.ts";
import { isPathSegment, type RequestField } from "./request_field.ts";
import { forEachToken, longestToken } from "./text_ranges.ts";
import { SHORTEST_IN_COMPOUND } from "./value_index.ts";

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
  /**
   * All whole values and tokens in the requests. `mayHold` returns true for these, and for values
   * of at least `SHORTEST_IN_COMPOUND` UTF-16 code units whose longest token is one of these.
   */
  known(): Iterable<string>;
  /**
   * Values that look dynamic and fill a whole request field. `sure` is true if the field's name or
   * the value's shape suggests a dynamic value, or if the value looks generated. `sure` is false if
   * the value is only long and opaque. `named` is true if the field's name suggests a dynamic
   * value.
   */
  readonly sought: ReadonlyMap<string, { readonly sure: boolean; readonly named: boolean }>;
  /**
   * Numbers of fewer than four digits that are probably ids: path segments, and values of fields
   * whose name suggests an id.
   */
  readonly shortIds: ReadonlySet<string>;
}

/** Indexes the values in the fields of all requests. */
export function indexRequestValues(calls: readonly RecordedCall[]): RequestValues {
  const known = new PrefilteredSet(); // whole values, and the tokens within them
  const sought = new Map<string, { sure: boolean; named: boolean }>();
  const shortIds = new Set<string>();
  const add = (value: string) => {
    if (known.has(value)) return;
    known.add(value);
    forEachToken(value, (from, to) => known.add(value.slice(from, to)));
  };
  // Known header values, keyed by name. Most headers are the same in many calls.
  const headers = new Map<string, Set<string>>();
  const isKnownHeader = ({ kind, name, value }: RequestField) => {
    if (kind !== "header") return false;
    const values = headers.get(name) ?? new Set();
    if (values.has(value)) return true;
    headers.set(name, values.add(value));
    return false;
  };
  const seekIn = (value: string, name: string, inPath: boolean) => {
    seek(sought, inPath, name, value);
    if (isShortNumber(value) && (inPath || nameHint(name).idLike)) shortIds.add(value);
  };
  for (const { fields } of calls) {
    for (const field of fields) {
      if (isKnownHeader(field)) continue;
      for (const [start, end] of field.wholes()) {
        const value = field.value.slice(start, end);
        if (field.kind !== "text") seekIn(value, field.name, isPathSegment(field));
        add(value);
      }
      for (const { start, end, name, inPath } of field.parts()) {
        const value = field.value.slice(start, end);
        seekIn(value, name, inPath);
        add(value);
      }
    }
  }
  return {
    mayHold: (value) =>
      known.has(value) || (value.length >= SHORTEST_IN_COMPOUND && containsToken(known, value)),
    known: () => known.values(),
    sought,
    shortIds,
  };
}

function containsToken(known: PrefilteredSet, value: string): boolean {
  const [start, end] = longestToken(value);
  return end - start < value.length && known.has(value.slice(start, end));
}

function seek(
  sought: Map<string, { sure: boolean; named: boolean }>,
  inPath: boolean,
  name: string,
  value: string,
): void {
  if ((value.length < 4 && !value.startsWith('"')) || isShortNumber(value)) return;
  const by = dynamicBy(name, value);
  const sure = by !== undefined || isGeneratedText(value, inPath);
  if (!sure && (inPath || !isOpaque(value))) return;
  const known = sought.get(value);
  const named = by === "name";
  if (known === undefined) sought.set(value, { sure, named });
  else {
    known.sure ||= sure;
    known.named ||= named;
  }
}

/**
 * Reports whether a value looks generated and is so long that equal text elsewhere is unlikely to
 * be a coincidence.
 */
function isGeneratedText(value: string, inPath: boolean): boolean {
  return value.length >= (inPath ? 8 : 6) && value.length <= LONGEST_GENERATED &&
    !/\s|^https?:/.test(value) && looksGenerated(value);
}

/**
 * Maximum length of a generated value in UTF-16 code units. Longer values are probably documents.
 */
const LONGEST_GENERATED = 2 ** 20;
