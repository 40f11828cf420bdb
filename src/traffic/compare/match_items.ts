import { isMap } from "../../base/exact_number.ts";
import { leafText } from "../session/json_tree.ts";
import type { KnownPairs } from "./known_pairs.ts";
import type { Match } from "./match_sequences.ts";

/** Maximum nesting depth of the members that are compared to match list items. */
const DEEPEST = 3;
/**
 * Maximum number of live items that may have the same value of a member. If more items have it, the
 * member is ignored, because it does not identify an item.
 */
const MOST_SHARED = 8;

/**
 * Matches the items of a recorded JSON list with those of a live list, which may be in a different
 * order or contain additional items. Items match by the values that they share, after replacing
 * known values. Matches the remaining items in order if both lists have the same number of them.
 */
export function matchItems(
  recorded: readonly unknown[],
  live: readonly unknown[],
  known: KnownPairs,
): Match[] {
  const byTrait = new Map<string, number[]>();
  live.forEach((item, j) => {
    for (const trait of traitsOf(item, (text) => text)) {
      const holders = byTrait.get(trait);
      if (holders === undefined) byTrait.set(trait, [j]);
      else if (holders.length <= MOST_SHARED) holders.push(j);
    }
  });
  const taken = new Set<number>();
  const matches: Match[] = [];
  const rest: number[] = [];
  recorded.forEach((item, i) => {
    const expected = (text: string) => known.liveOf(text) ?? known.toLive(text);
    const j = bestMatch(traitsOf(item, expected), byTrait, taken, i);
    if (j === undefined) rest.push(i);
    else {
      taken.add(j);
      matches.push([i, j]);
    }
  });
  const liveRest = live.flatMap((_, j) => taken.has(j) ? [] : [j]);
  if (rest.length === liveRest.length) rest.forEach((i, k) => matches.push([i, liveRest[k]]));
  return matches.sort(([a], [b]) => a - b);
}

/**
 * Returns the index of the unmatched live item that best matches `traits`, the members of a
 * recorded item. A member counts more if fewer live items have it. Among equally good items,
 * prefers the one at the same index. Returns undefined if no item has any of the members.
 */
function bestMatch(
  traits: ReadonlySet<string>,
  byTrait: ReadonlyMap<string, readonly number[]>,
  taken: ReadonlySet<number>,
  index: number,
): number | undefined {
  const scores = new Map<number, number>();
  for (const trait of traits) {
    const holders = byTrait.get(trait) ?? [];
    if (holders.length > MOST_SHARED) continue;
    for (const j of holders) {
      if (!taken.has(j)) scores.set(j, (scores.get(j) ?? 0) + 1 / holders.length);
    }
  }
  let best: number | undefined;
  let bestScore = 0;
  for (const [j, score] of scores) {
    if (score < bestScore || (score === bestScore && j !== index)) continue;
    [best, bestScore] = [j, score];
  }
  return best;
}

/** Returns the members of an item as `path=value`, with values converted by `convert`. */
function traitsOf(item: unknown, convert: (text: string) => string): Set<string> {
  const traits = new Set<string>();
  const visit = (value: unknown, path: string, depth: number) => {
    if (isMap(value) && depth < DEEPEST) {
      for (const [name, member] of Object.entries(value)) {
        visit(member, `${path}.${name}`, depth + 1);
      }
      return;
    }
    const text = leafText(value);
    if (text !== undefined && text !== "") traits.add(`${path}=${convert(text)}`);
  };
  visit(item, "", 0);
  return traits;
}
