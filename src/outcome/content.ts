import { isMap } from "../base/exact_number.ts";
import { plural } from "../base/format.ts";
import {
  type Compared,
  type ComparedResponse,
  isRedirect,
  mediaTypeOf,
} from "../comparison/compared_response.ts";
import type { KnownPairs } from "../comparison/known_pairs.ts";
import { matchItems } from "../comparison/match.ts";
import { formatPath } from "../correlation/propose_json.ts";
import type { JsonPath } from "../correlation/views.ts";
import { tooDeep } from "../plan/parse_tree.ts";
import { bodyOf, type Contents, readContents, readMarkup } from "./leaves.ts";
import { findRefusalText } from "./refusal.ts";
import { contentShape } from "./shapes.ts";

/**
 * What may be wrong in a response that is as recorded: a list or an object lost all of its items, a
 * new text refuses, or a text that the user changed is as recorded. Contains recorded and live
 * text.
 */
export interface ContentDifference {
  readonly kind: "empty list" | "refusal" | "earlier text";
  /** A JSONPath such as `$.items`, or an element such as `<li>` (see `Leaf`). */
  readonly place: string;
  readonly recorded: string;
  readonly live: string;
  /** Path of a list or an object in JSON. */
  readonly path?: JsonPath;
}

/** `alike` are the other recorded responses to the same read. `hide` removes secrets from text. */
export function compareContent(
  { recorded, live, known, alike = [] }: Compared & {
    readonly alike?: readonly ComparedResponse[];
  },
  hide: (text: string) => string,
): ContentDifference[] {
  if (isRedirect(recorded) || mediaTypeOf(recorded) === "text/event-stream") return [];
  const [body, liveBody] = [bodyOf(recorded), bodyOf(live)];
  if (body === undefined || liveBody === undefined || body.form !== liveBody.form) return [];
  if (known.toLive(body.text) === liveBody.text) return [];
  const expected = ({ status, headers, mimeType, text }: ComparedResponse) => (
    { status, headers, mimeType, text: text && known.toLive(text) }
  );
  const own = expected(recorded);
  // Most responses contain no refusal, and a recording can contain many responses to the same read.
  const refusal = findRefusalText([own], live) &&
    findRefusalText([own, ...alike.map(expected)], live);
  const found = body.form === "json"
    ? findInJson(body.json, liveBody.json, known)
    : findInTexts(readContents(recorded), readContents(live), known);
  return [
    ...found,
    ...(refusal === undefined
      ? []
      : [{ kind: "refusal" as const, place: "text", recorded: "", live: refusal }]),
  ].map((difference) => ({
    ...difference,
    recorded: shown(difference.recorded, hide),
    live: shown(difference.live, hide),
  }));
}

const LONGEST_SHOWN = 100;

function shown(text: string, hide: (text: string) => string): string {
  const hidden = hide(text);
  return hidden.length > LONGEST_SHOWN ? `${hidden.slice(0, LONGEST_SHOWN)}…` : hidden;
}

/** Deeper JSON values could overflow the stack. */
const DEEPEST_JSON = 200;
const MARKUP = /<[a-z!][^<>]*>/i;

/** Finds empty and missing lists and objects, and earlier texts. */
function findInJson(recorded: unknown, live: unknown, known: KnownPairs): ContentDifference[] {
  if (tooDeep(live, DEEPEST_JSON) !== undefined) return [];
  const found: ContentDifference[] = [];
  const compare = (recorded: unknown, live: unknown, path: JsonPath): void => {
    if (path.length > DEEPEST_JSON) return;
    const size = sizeOf(recorded);
    const place = formatPath(path);
    if (typeof recorded === "string" && typeof live === "string") {
      if (MARKUP.test(recorded) && MARKUP.test(live)) {
        const inner = findInTexts(readMarkup(recorded, false), readMarkup(live, false), known);
        found.push(...inner.map((within) => ({ ...within, place: `${place} ${within.place}` })));
      } else if (recorded === live && isReplaced(recorded, known) && !place.includes("[")) {
        found.push({ kind: "earlier text", place, recorded, live });
      }
    } else if (size === undefined || size === 0) return;
    else if (live === null || live === undefined || sizeOf(live) === 0) {
      found.push({
        kind: "empty list",
        place,
        recorded: itemsText(recorded, size),
        live: live === null ? "null" : live === undefined ? "" : itemsText(live, 0),
        path,
      });
    } else if (Array.isArray(recorded) && Array.isArray(live)) {
      for (const [i, j] of matchItems(recorded, live, known)) {
        compare(recorded[i], live[j], [...path, i]);
      }
    } else if (isMap(recorded) && isMap(live)) {
      for (const [name, value] of Object.entries(recorded)) {
        const liveName = [known.liveOf(name) ?? name, name].find((key) => Object.hasOwn(live, key));
        // A name that a server generates, such as an id, identifies an object like that of a list.
        if (liveName === undefined && contentShape(name) !== name) continue;
        compare(value, liveName === undefined ? undefined : live[liveName], [...path, name]);
      }
    }
  };
  compare(recorded, live, []);
  return found;
}

function sizeOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return isMap(value) ? Object.keys(value).length : undefined;
}

function itemsText(value: unknown, size: number): string {
  return plural(size, Array.isArray(value) ? "item" : "member");
}

function isReplaced(text: string, known: KnownPairs): boolean {
  return (known.liveOf(text) ?? text) !== text;
}

function findInTexts(recorded: Contents, live: Contents, known: KnownPairs): ContentDifference[] {
  return [...emptyItems(recorded, live, known), ...earlierTexts(recorded, live, known)];
}

/** Finds the texts outside lists that the live page shows in place of what the user sent. */
function earlierTexts(recorded: Contents, live: Contents, known: KnownPairs): ContentDifference[] {
  const replaced = recorded.leaves.filter(({ text, item }) =>
    item === undefined && isReplaced(text, known)
  );
  if (replaced.length === 0) return [];
  const shown = new Set(live.leaves.map(({ text }) => text));
  const at = ({ leaves }: Contents, place: string) => leaves.filter((leaf) => leaf.place === place);
  return replaced.filter(({ text, place }) => {
    const others = at(live, place);
    return !shown.has(known.liveOf(text)!) && others.some((other) => other.text === text) &&
      others.length === at(recorded, place).length;
  }).map(({ text, place }) => ({ kind: "earlier text", place, recorded: text, live: text }));
}

/** Finds the lists of a page of which no item, nor its text elsewhere, is in the live page. */
function emptyItems(
  recorded: Contents,
  live: Contents,
  known: KnownPairs,
): ContentDifference[] {
  const lists = Map.groupBy(recorded.leaves, ({ item = "" }) => item);
  for (const { item = "" } of live.leaves) lists.delete(item);
  lists.delete("");
  if (lists.size === 0) return [];
  const shapes = new Set(live.leaves.map(({ text }) => contentShape(text)));
  return [...lists.values()].filter((own) => {
    const named = own.map((leaf) => contentShape(known.toLive(leaf.text))).filter(hasWords);
    return named.length > 0 && !named.some((shape) => shapes.has(shape));
  }).map((own) => {
    const recorded = own.map(({ text }) => text).join(" ");
    return { kind: "empty list", place: own[0].place, recorded, live: "" };
  });
}

function hasWords(shape: string): boolean {
  return /\p{L}{2}/u.test(shape);
}
