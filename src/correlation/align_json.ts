import { isMap, isNumber } from "../base/exact_number.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { alignText } from "./align_text.ts";
import type { ComparedResponse } from "./compared_response.ts";
import type { KnownPairs } from "./known_pairs.ts";
import { matchItems } from "./match.ts";
import { type Compared, partOf, type ValuePair, wholeText } from "./value_pair.ts";
import type { JsonPath } from "./views.ts";

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
 * and list items by the values that they share.
 */
export function alignJson(recorded: unknown, live: unknown, compared: Compared): ValuePair[] {
  const pairs: ValuePair[] = [];
  const root = { path: [], livePath: [], name: "", mayMove: false };
  alignNodes(recorded, live, root, compared, pairs);
  return pairs;
}

interface Node {
  readonly path: JsonPath;
  readonly livePath: JsonPath;
  /** Name of the innermost object member that contains the value. */
  readonly name: string;
  readonly mayMove: boolean;
}

function alignNodes(
  recorded: unknown,
  live: unknown,
  node: Node,
  compared: Compared,
  pairs: ValuePair[],
): void {
  const { path, livePath } = node;
  const { known } = compared;
  if (path.length > DEEPEST) return;
  if (Array.isArray(recorded) && Array.isArray(live)) {
    for (const [i, j] of matchItems(recorded, live, known)) {
      const item = { ...node, path: [...path, i], livePath: [...livePath, j], mayMove: true };
      alignNodes(recorded[i], live[j], item, compared, pairs);
    }
  } else if (isMap(recorded) && isMap(live)) {
    for (const [name, liveName] of matchNames(recorded, live, known)) {
      const member = { ...node, path: [...path, name], livePath: [...livePath, liveName], name };
      if (name !== liveName && known.liveOf(name) !== liveName) {
        pairs.push({
          recorded: name,
          live: liveName,
          at: wholeText(compared.recorded, name, node.name, { kind: "member", path: member.path }),
          liveAt: wholeText(compared.live, liveName, node.name, {
            kind: "member",
            path: member.livePath,
          }),
          name: node.name,
          mayMove: true,
        });
      }
      alignNodes(recorded[name], live[liveName], member, compared, pairs);
    }
  } else alignLeaves(recorded, live, node, compared, pairs);
}

/**
 * Pairs the member names of two objects. First pairs names that are equal or that `known` contains
 * as a pair, and then the remaining names, if both objects have the same number of them, by the
 * values that their members share, or in order.
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
  const items = matchItems(
    rest.map((name) => recorded[name]),
    liveRest.map((one) => live[one]),
    known,
  );
  return [...matched, ...items.map(([i, j]) => [rest[i], liveRest[j]] as const)];
}

function alignLeaves(
  recorded: unknown,
  live: unknown,
  { path, livePath, name, mayMove }: Node,
  compared: Compared,
  pairs: ValuePair[],
): void {
  const { known } = compared;
  const [text, liveText] = [leafText(recorded), leafText(live)];
  if (text === undefined || liveText === undefined || text === liveText) return;
  // A short value, such as 1, may be the id of several things.
  if (text.length >= SHORTEST_KNOWN && known.liveOf(text) === liveText) return;
  if (known.toLive(text) === liveText) return;
  const leaf = (response: ComparedResponse, text: string, path: JsonPath, value: unknown) =>
    wholeText(response, text, name, { kind: "json", path, isNumber: isNumber(value) });
  const at = leaf(compared.recorded, text, path, recorded);
  const liveAt = leaf(compared.live, liveText, livePath, live);
  const whole = { recorded: text, live: liveText, at, liveAt, name, mayMove };
  if (text !== "" && liveText !== "" && text.length <= LONGEST) pairs.push(whole);
  if (!STRUCTURED.test(text)) return;
  for (const one of alignText(text, liveText, known)) {
    if (one.recorded !== text) pairs.push(partOf(whole, one));
  }
}
