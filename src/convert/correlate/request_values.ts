import type { Draft } from "./draft.ts";
import { dynamicBy, isOpaque, isShortNumber } from "./dynamic.ts";
import { nameHint } from "./names.ts";
import { PrefilteredSet } from "./prefiltered_set.ts";
import { forEachToken, longestToken, SHORTEST_WITHIN } from "./value_index.ts";

/** What the requests send: the filter through which responses are read. */
export interface RequestValues {
  /** Whether a value of a response could stand anywhere in the requests; false is certain. */
  mayHold(value: string): boolean;
  /**
   * Whole values of requests that look dynamic; `sure` where their name or shape says so, not just
   * their length.
   */
  readonly sought: ReadonlyMap<string, { readonly sure: boolean }>;
  /** Short numbers that stand where an id does: in a path, or in a field named like one. */
  readonly shortIds: ReadonlySet<string>;
}

/** Reads the slots of all requests. */
export function indexRequestValues(drafts: readonly Draft[]): RequestValues {
  const held = new PrefilteredSet(); // whole values, and the tokens within them
  const sought = new Map<string, { sure: boolean }>();
  const shortIds = new Set<string>();
  for (const { slots } of drafts) {
    for (const slot of slots) {
      for (const [start, end] of slot.addressParts()) held.add(slot.value.slice(start, end));
      for (const [start, end] of slot.wholes()) {
        const value = slot.value.slice(start, end);
        const inPath = slot.kind === "path";
        if (slot.kind !== "text") seek(sought, inPath, slot.name, value);
        if (isShortNumber(value) && (inPath || nameHint(slot.name).idLike)) shortIds.add(value);
        if (held.has(value)) continue;
        held.add(value);
        forEachToken(value, (from, to) => held.add(value.slice(from, to)));
      }
    }
  }
  return {
    mayHold: (value) =>
      held.has(value) || (value.length >= SHORTEST_WITHIN && holdsToken(held, value)),
    sought,
    shortIds,
  };
}

function holdsToken(held: PrefilteredSet, value: string): boolean {
  const [start, end] = longestToken(value);
  return end - start < value.length && held.has(value.slice(start, end));
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
