import { asText } from "../base/exact_json.ts";
import { isMap, isNumber } from "../base/exact_number.ts";
import { plural } from "../base/format.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import { matchItems } from "../correlation/match.ts";
import { formatPath } from "../correlation/propose_json.ts";
import type { JsonPath } from "../correlation/views.ts";
import { tooDeep } from "../plan/source/parse_tree.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import type { ContentDifference } from "./difference.ts";
import { contentShape, hasWords, sameContent } from "./shapes.ts";

/**
 * Maximum nesting depth of the JSON values that are compared. Deeper ones could overflow the stack.
 */
const DEEPEST_JSON = 200;
const MARKUP = /<[a-z!][^<>]*>/i;

/** Compares two texts that contain markup. */
export type CompareMarkup = (
  recorded: string,
  live: string,
  known: KnownPairs,
) => ContentDifference[];

/**
 * Finds the places in a JSON value whose live content differs from the recorded content. Matches
 * list items by the values that they share. Ignores generated values, additional list items and
 * additional members. Recorded values whose live value is in `known` do not count as different.
 * Returns no differences if `live` is nested more than 200 levels deep.
 */
export function findJsonContent(
  recorded: unknown,
  live: unknown,
  known: KnownPairs,
  compareMarkup: CompareMarkup,
): ContentDifference[] {
  const comparison = { known, compareMarkup, found: [] };
  if (tooDeep(live, DEEPEST_JSON) === undefined) compareNodes(recorded, live, [], comparison);
  return comparison.found;
}

interface Comparison {
  readonly known: KnownPairs;
  readonly compareMarkup: CompareMarkup;
  readonly found: ContentDifference[];
}

function compareNodes(
  recorded: unknown,
  live: unknown,
  path: JsonPath,
  comparison: Comparison,
): void {
  const { known, found } = comparison;
  if (path.length > DEEPEST_JSON) return;
  const [size, liveSize] = [recorded, live].map(sizeOf);
  if (size === undefined) compareLeaves(recorded, live, path, comparison);
  else if (size === 0) addErrors(recorded, live, path, found);
  else if (liveSize === 0 || live === null || live === undefined) {
    found.push({
      kind: "empty list",
      place: formatPath(path),
      recorded: itemsText(recorded, size),
      live: liveSize === 0 ? itemsText(live, 0) : live === null ? "null" : "",
      path,
    });
  } else if (Array.isArray(recorded) && Array.isArray(live)) {
    addFewer(recorded, live, path, found);
    for (const [i, j] of matchItems(recorded, live, known)) {
      compareNodes(recorded[i], live[j], [...path, i], comparison);
    }
  } else if (isMap(recorded) && isMap(live)) {
    compareMembers(recorded, live, path, comparison);
  } else {
    found.push({
      kind: "other",
      place: formatPath(path),
      recorded: itemsText(recorded, size),
      live: asText(live),
    });
  }
}

function compareMembers(
  recorded: Readonly<Record<string, unknown>>,
  live: Readonly<Record<string, unknown>>,
  path: JsonPath,
  comparison: Comparison,
): void {
  const { known } = comparison;
  for (const [name, value] of Object.entries(recorded)) {
    const liveName = [name, known.liveOf(name) ?? name].find((one) => Object.hasOwn(live, one));
    // A name that a server generates, such as an id, identifies an object like that of a list.
    if (liveName === undefined && contentShape(name) !== name) continue;
    const other = liveName === undefined ? undefined : live[liveName];
    compareNodes(value, other, [...path, name], comparison);
  }
}

function addFewer(
  recorded: readonly unknown[],
  live: readonly unknown[],
  path: JsonPath,
  found: ContentDifference[],
): void {
  if (live.length >= recorded.length) return;
  const [items, liveItems] = [recorded, live].map((list) => itemsText(list, list.length));
  found.push({ kind: "other", place: formatPath(path), recorded: items, live: liveItems });
}

function compareLeaves(
  recorded: unknown,
  live: unknown,
  path: JsonPath,
  { known, compareMarkup, found }: Comparison,
): void {
  if (recorded === live || (isNumber(recorded) && isNumber(live))) return;
  const [text, liveText] = [recorded, live].map(leafContent);
  if (text === liveText || known.liveOf(text) === liveText) return;
  const place = formatPath(path);
  if (liveText === "" && typeof live === "string") {
    if (text.trim() !== "") found.push({ kind: "empty text", place, recorded: text, live: "" });
    return;
  }
  const expected = known.toLive(text);
  if (MARKUP.test(text) && MARKUP.test(liveText)) {
    found.push(
      ...compareMarkup(text, liveText, known)
        .map((one) => ({ ...one, place: `${place} ${one.place}` })),
    );
  } else if (isTelling(text, liveText) && !sameContent(expected, liveText)) {
    found.push({ kind: "other", place, recorded: text, live: liveText });
  }
}

function addErrors(
  recorded: unknown,
  live: unknown,
  path: JsonPath,
  found: ContentDifference[],
): void {
  const isError = /^errors?$/.test(nameWords(String(path.at(-1) ?? "")).at(-1) ?? "");
  if (!isError || !sizeOf(live)) return;
  const place = formatPath(path);
  found.push({ kind: "refusal", place, recorded: itemsText(recorded, 0), live: asText(live) });
}

/**
 * Reports whether a difference between two strings is meaningful. If one of them is empty, the
 * other must contain words, because a generated value may be missing in some responses.
 */
function isTelling(text: string, liveText: string): boolean {
  if (text !== "" && liveText !== "") return true;
  return hasWords(contentShape(text === "" ? liveText : text));
}

function sizeOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return isMap(value) ? Object.keys(value).length : undefined;
}

function itemsText(value: unknown, size: number): string {
  return plural(size, Array.isArray(value) ? "item" : "member");
}

function leafContent(value: unknown): string {
  return value === null || value === undefined ? "" : asText(value);
}
