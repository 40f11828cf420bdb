import { dynamicBy, isOpaque, isShortNumber, nameHint } from "./dynamic_value.ts";
import { PrefilteredSet } from "./prefiltered_set.ts";
import type { RecordedCall } from "./recorded_call.ts";
import { forEachToken, longestToken, SHORTEST_WITHIN } from "./value_index.ts";

/**
 * Index of the values that requests send. Determines which values in responses are worth extracting.
 */
export interface RequestValues {
  /**
   * Reports whether a request may contain the value. May return false positives, never false negatives.
   */
  mayHold(value: string): boolean;
  /**
   * Dynamic-looking values that fill a whole request field. `sure` is true if the field's name or the
   * value's shape suggests a dynamic value, and false if the value is only long and opaque.
   */
  readonly sought: ReadonlyMap<string, { readonly sure: boolean }>;
  /**
   * Numbers of fewer than four digits that are probably ids: path segments, and values of fields whose
   * name suggests an id.
   */
  readonly shortIds: ReadonlySet<string>;
}

/** Indexes the values in the fields of all requests. */
export function indexRequestValues(calls: readonly RecordedCall[]): RequestValues {
  const known = new PrefilteredSet(); // whole values, and the tokens within them
  const sought = new Map<string, { sure: boolean }>();
  const shortIds = new Set<string>();
  for (const { fields } of calls) {
    for (const field of fields) {
      for (const [start, end] of field.addressParts()) known.add(field.value.slice(start, end));
      for (const [start, end] of field.wholes()) {
        const value = field.value.slice(start, end);
        const inPath = field.kind === "path";
        if (field.kind !== "text") seek(sought, inPath, field.name, value);
        if (isShortNumber(value) && (inPath || nameHint(field.name).idLike)) shortIds.add(value);
        if (known.has(value)) continue;
        known.add(value);
        forEachToken(value, (from, to) => known.add(value.slice(from, to)));
      }
    }
  }
  return {
    mayHold: (value) =>
      known.has(value) || (value.length >= SHORTEST_WITHIN && containsToken(known, value)),
    sought,
    shortIds,
  };
}

function containsToken(known: PrefilteredSet, value: string): boolean {
  const [start, end] = longestToken(value);
  return end - start < value.length && known.has(value.slice(start, end));
}

function seek(
  sought: Map<string, { sure: boolean }>,
  inPath: boolean,
  name: string,
  value: string,
): void {
  if (value.length < 4 || isShortNumber(value)) return;
  const sure = dynamicBy(name, value) !== undefined;
  if (!sure && (inPath || !isOpaque(value))) return;
  const known = sought.get(value);
  if (known === undefined) sought.set(value, { sure });
  else known.sure ||= sure;
}
