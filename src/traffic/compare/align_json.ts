import { isMap } from "../../base/exact_number.ts";
import { leafText } from "../session/json_tree.ts";
import { alignText } from "./align_text.ts";
import type { KnownPairs } from "./known_pairs.ts";
import { matchItems } from "./match_items.ts";
import type { ValuePair } from "./value_pair.ts";

type Path = readonly (string | number)[];

/** Maximum nesting depth of the JSON values that are compared. */
const DEEPEST = 200;
/** Matches text that may contain several values. */
const STRUCTURED = /[\s<>{"/?=&:]/;
/**
 * Minimum length, in UTF-16 code units, of a value that is assumed to identify the same thing
 * wherever it occurs.
 */
const SHORTEST_KNOWN = 4;
/** Maximum length of a value in UTF-16 code units. */
const LONGEST = 8_192;

/**
 * Finds the values that differ between a recorded and a live JSON value. Compares members by name,
 * and list items by the values that they share. Recorded values whose live value is in `known` do
 * not count as different.
 */
export function alignJson(recorded: unknown, live: unknown, known: KnownPairs): ValuePair[] {
  const pairs: ValuePair[] = [];
  alignNodes(recorded, live, { path: [], name: "", mayMove: false }, known, pairs);
  return pairs;
}

interface Node {
  readonly path: Path;
  /** Name of the innermost object member that contains the value. */
  readonly name: string;
  readonly mayMove: boolean;
}

function alignNodes(
  recorded: unknown,
  live: unknown,
  node: Node,
  known: KnownPairs,
  pairs: ValuePair[],
): void {
  if (node.path.length > DEEPEST) return;
  if (Array.isArray(recorded) && Array.isArray(live)) {
    for (const [i, j] of matchItems(recorded, live, known)) {
      const item = { ...node, path: [...node.path, i], mayMove: true };
      alignNodes(recorded[i], live[j], item, known, pairs);
    }
  } else if (isMap(recorded) && isMap(live)) {
    for (const [name, liveName] of matchNames(recorded, live, known)) {
      const member = { ...node, path: [...node.path, name], name };
      if (name !== liveName && known.liveOf(name) !== liveName) {
        const place = { in: "json", path: member.path, within: true } as const;
        pairs.push({ recorded: name, live: liveName, place, name: node.name, mayMove: true });
      }
      alignNodes(recorded[name], live[liveName], member, known, pairs);
    }
  } else alignLeaves(recorded, live, node, known, pairs);
}

/**
 * Pairs the member names of two objects. First pairs names that are equal or that `known` contains
 * as a pair, and then the remaining names in order if both objects have the same number of them.
 */
function matchNames(
  recorded: Readonly<Record<string, unknown>>,
  live: Readonly<Record<string, unknown>>,
  known: KnownPairs,
): (readonly [name: string, liveName: string])[] {
  const matched: [string, string][] = [];
  const rest: string[] = [];
  const taken = new Set<string>();
  for (const name of Object.keys(recorded)) {
    const liveName = [name, known.liveOf(name)].find((one) =>
      one !== undefined && Object.hasOwn(live, one)
    );
    if (liveName === undefined) rest.push(name);
    else {
      matched.push([name, liveName]);
      taken.add(liveName);
    }
  }
  const liveRest = Object.keys(live).filter((name) => !taken.has(name));
  if (rest.length !== liveRest.length) return matched;
  return [...matched, ...rest.map((name, i) => [name, liveRest[i]] as const)];
}

function alignLeaves(
  recorded: unknown,
  live: unknown,
  { path, name, mayMove }: Node,
  known: KnownPairs,
  pairs: ValuePair[],
): void {
  const [text, liveText] = [leafText(recorded), leafText(live)];
  if (text === undefined || liveText === undefined || text === liveText) return;
  // A short value, such as 1, may be the id of several things.
  if (text.length >= SHORTEST_KNOWN && known.liveOf(text) === liveText) return;
  if (known.toLive(text) === liveText) return;
  const push = (recorded: string, live: string, within: boolean) =>
    pairs.push({ recorded, live, place: { in: "json", path, within }, name, mayMove });
  if (text !== "" && liveText !== "" && text.length <= LONGEST) push(text, liveText, false);
  if (!STRUCTURED.test(text)) return;
  for (const { recorded, live } of alignText(text, liveText, known)) {
    if (recorded !== text) push(recorded, live, true);
  }
}
