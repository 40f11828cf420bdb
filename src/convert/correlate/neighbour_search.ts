import { isNumber } from "../../base/exact_number.ts";
import { leafText } from "../../traffic/session/json_tree.ts";
import { forEachLeaf, locateLeaf } from "./sources/json_source.ts";
import type { FoundValues, SearchedResponse, WantedValues } from "./sources/source_search.ts";

/** A leaf of a JSON response. */
interface Leaf {
  readonly value: string;
  readonly key: string;
  readonly path: readonly (string | number)[];
  readonly numeric: boolean;
}

/** Maximum number of leaves of an object or list that are compared with each other. */
const MOST_LEAVES = 64;

/**
 * Finds the short numbers that are in the same object or list of a JSON response as a generated
 * value, if requests send both in the same base64.
 */
export function searchNeighbours(
  response: SearchedResponse,
  { sent: { neighbours: { numbers, numbersWith } } }: Pick<WantedValues, "sent">,
  { add }: Pick<FoundValues, "add">,
): void {
  if (numbers.size === 0 || response.json === undefined) return;
  /** The leaves that may be such numbers or values, by the path to their object or list. */
  const found = new Map<string, Leaf[]>();
  forEachLeaf(response.json, (leaf, key, path) => {
    const value = leafText(leaf);
    if (value === undefined || !numbers.has(value) && !numbersWith.has(value)) return;
    const place = JSON.stringify(path.slice(0, -1));
    const around = found.get(place) ?? [];
    found.set(place, around);
    if (around.length > MOST_LEAVES) return;
    around.push({ value, key, path: [...path], numeric: isNumber(leaf) });
  });
  const producer = response.call;
  for (const around of found.values()) {
    if (around.length > MOST_LEAVES) continue;
    for (const { value: neighbour } of around) {
      const wanted = numbersWith.get(neighbour);
      for (const { value, key, path, numeric } of wanted ? around : []) {
        if (!wanted!.has(value)) continue;
        // Of several equal numbers, the recording does not show which one is sent.
        const isUnique = around.filter((other) => other.value === value).length === 1;
        const located = isUnique ? locateLeaf(path) : undefined;
        if (located === undefined) continue;
        add({ value, key, source: "json", by: "neighbour", neighbour, numeric, producer, located });
      }
    }
  }
}
