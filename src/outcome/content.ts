import { asText } from "../base/exact_json.ts";
import { isMap, isNumber } from "../base/exact_number.ts";
import { plural } from "../base/format.ts";
import { alignHeaders } from "../correlation/align.ts";
import {
  type Compared,
  type ComparedResponse,
  isRedirect,
  mediaTypeOf,
  readBody,
} from "../correlation/compared_response.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import { matchItems } from "../correlation/match.ts";
import { formatPath } from "../correlation/propose_json.ts";
import type { JsonPath } from "../correlation/views.ts";
import { tooDeep } from "../plan/source/parse_tree.ts";
import { isNamedSecret } from "../traffic/session/secret_names.ts";
import { HIDDEN } from "../traffic/session/secret_texts.ts";
import { type Contents, type Leaf, readContents, readMarkup } from "./leaves.ts";
import { findRefusalText } from "./refusal.ts";
import { contentShape, hasWords, sameContent } from "./shapes.ts";

/**
 * How the content of a live response differs from the recorded content:
 *
 * - `empty list`: a list or an object has no items, but had some in the recording
 * - `empty text`: a string is empty that was not empty in the recording
 * - `refusal`: a string that does not occur in the recording reads like a refusal
 * - `earlier text`: a string that is not in a list is as recorded, although the user sent another
 *   one in its place
 * - `other`: a string or another value differs or is missing
 */
export type ContentKind = "empty list" | "empty text" | "refusal" | "earlier text" | "other";

/** Kinds in the order in which reports list them, most important first. */
export const CONTENT_KINDS: readonly ContentKind[] = [
  "empty list",
  "empty text",
  "refusal",
  "earlier text",
  "other",
];

/**
 * A place in a response where the live content differs from the recorded content, although the
 * response has the recorded status, media type and redirect target, and is not a different page.
 * Contains recorded and live text.
 */
export interface ContentDifference {
  readonly kind: ContentKind;
  /** Place of the difference (see `Leaf`), or a header such as `header link`. */
  readonly place: string;
  readonly recorded: string;
  readonly live: string;
  /** Path of a list or an object in JSON. Only for the kind `empty list`. */
  readonly path?: JsonPath;
}

/** Differences between the content of a live response and that of the recorded one. */
export interface ResponseContent {
  readonly differences: readonly ContentDifference[];
  readonly more: number;
}

const MOST_DIFFERENCES = 100;

/**
 * Finds the places where the content of a live response differs from that of the recorded response,
 * although the response has the recorded status, media type and redirect target, and is not a
 * different page. Ignores values that a server generates, additional texts and items, and recorded
 * values whose live value is in `known`. `alike` are the other recorded responses to the same read.
 * `hide` removes secrets from text. Truncates long strings.
 */
export function compareContent(
  compared: Compared & { readonly alike?: readonly ComparedResponse[] },
  hide: (text: string) => string,
): ResponseContent {
  const found = [...bodyContent(compared), ...headerContent(compared)]
    .sort((a, b) => CONTENT_KINDS.indexOf(a.kind) - CONTENT_KINDS.indexOf(b.kind));
  return {
    differences: found.slice(0, MOST_DIFFERENCES).map((one) => shown(one, hide)),
    more: Math.max(0, found.length - MOST_DIFFERENCES),
  };
}

function bodyContent(
  { recorded, live, known, alike = [] }: Parameters<typeof compareContent>[0],
): ContentDifference[] {
  if (isRedirect(recorded) || mediaTypeOf(recorded) === "text/event-stream") return [];
  const [body, liveBody] = [readBody(recorded), readBody(live)];
  if (body === undefined || liveBody === undefined || body.form !== liveBody.form) return [];
  if (known.toLive(body.text) === liveBody.text) return [];
  const expected = ({ status, headers, mimeType, text }: ComparedResponse) => (
    { status, headers, mimeType, text: text && known.toLive(text) }
  );
  const own = expected(recorded);
  // Most responses contain no refusal, and a recording can contain many responses to the same read.
  const refusal = findRefusalText([own], live) &&
    findRefusalText([own, ...alike.map(expected)], live);
  const refusals: ContentDifference[] = refusal === undefined
    ? []
    : [{ kind: "refusal", place: "text", recorded: "", live: refusal }];
  const differences = body.form === "json"
    ? compareJson(body.json, liveBody.json, known)
    : compareTexts(readContents(recorded), readContents(live), known);
  return [...refusals, ...differences];
}

/** Deeper JSON values could overflow the stack. */
const DEEPEST_JSON = 200;
const MARKUP = /<[a-z!][^<>]*>/i;

/**
 * Finds the places in a JSON value whose live content differs from the recorded content. Matches
 * list items by the values that they share.
 */
function compareJson(recorded: unknown, live: unknown, known: KnownPairs): ContentDifference[] {
  if (tooDeep(live, DEEPEST_JSON) !== undefined) return [];
  const found: ContentDifference[] = [];
  const compare = (recorded: unknown, live: unknown, path: JsonPath): void => {
    if (path.length > DEEPEST_JSON) return;
    const size = sizeOf(recorded);
    if (size === undefined) return void found.push(...compareLeaf(recorded, live, path, known));
    if (size === 0) return;
    const place = formatPath(path);
    const items = itemsText(recorded, size);
    if (live === null || live === undefined || sizeOf(live) === 0) {
      const left = live === null ? "null" : live === undefined ? "" : itemsText(live, 0);
      found.push({ kind: "empty list", place, recorded: items, live: left, path });
    } else if (Array.isArray(recorded) && Array.isArray(live)) {
      if (live.length < size) {
        const left = itemsText(live, live.length);
        found.push({ kind: "other", place, recorded: items, live: left });
      }
      for (const [i, j] of matchItems(recorded, live, known)) {
        compare(recorded[i], live[j], [...path, i]);
      }
    } else if (isMap(recorded) && isMap(live)) {
      for (const [name, value] of Object.entries(recorded)) {
        const liveName = [name, known.liveOf(name) ?? name].find((one) => Object.hasOwn(live, one));
        // A name that a server generates, such as an id, identifies an object like that of a list.
        if (liveName === undefined && contentShape(name) !== name) continue;
        compare(value, liveName === undefined ? undefined : live[liveName], [...path, name]);
      }
    } else found.push({ kind: "other", place, recorded: items, live: asText(live) });
  };
  compare(recorded, live, []);
  return found;
}

function compareLeaf(
  recorded: unknown,
  live: unknown,
  path: JsonPath,
  known: KnownPairs,
): ContentDifference[] {
  if (isNumber(recorded) && isNumber(live)) return [];
  const [text, liveText] = [recorded, live].map((value) => asText(value ?? ""));
  const place = formatPath(path);
  if (text === liveText) return place.includes("[") ? [] : earlierText(text, place, known);
  if (known.liveOf(text) === liveText) return [];
  if (liveText === "" && typeof live === "string") {
    return text.trim() === "" ? [] : [{ kind: "empty text", place, recorded: text, live: "" }];
  }
  if (MARKUP.test(text) && MARKUP.test(liveText)) {
    return compareTexts(readMarkup(text, false), readMarkup(liveText, false), known)
      .map((one) => ({ ...one, place: `${place} ${one.place}` }));
  }
  // A generated value may be missing in some responses.
  const isTelling = text !== "" && liveText !== "" || hasWords(contentShape(text || liveText));
  if (!isTelling || sameContent(known.toLive(text), liveText)) return [];
  return [{ kind: "other", place, recorded: text, live: liveText }];
}

function earlierText(text: string, place: string, known: KnownPairs): ContentDifference[] {
  const isEarlier = (known.liveOf(text) ?? text) !== text;
  return isEarlier ? [{ kind: "earlier text", place, recorded: text, live: text }] : [];
}

function sizeOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return isMap(value) ? Object.keys(value).length : undefined;
}

function itemsText(value: unknown, size: number): string {
  return plural(size, Array.isArray(value) ? "item" : "member");
}

/** Finds the recorded texts that the live contents lack, and the lists of a page that are empty. */
function compareTexts(
  recorded: Contents,
  live: Contents,
  known: KnownPairs,
): ContentDifference[] {
  const lists = emptiedItems(recorded, live, known);
  const others = recorded.leaves.filter(({ item = "" }) => !lists.has(item));
  return [...lists.values(), ...compareLeaves(others, live.leaves, known)];
}

function emptiedItems(
  recorded: Contents,
  live: Contents,
  known: KnownPairs,
): Map<string, ContentDifference> {
  const lists = Map.groupBy(recorded.leaves, ({ item = "" }) => item);
  for (const { item = "" } of live.leaves) lists.delete(item);
  lists.delete("");
  if (lists.size === 0) return new Map();
  const shapes = new Set(live.leaves.map(({ text }) => contentShape(text)));
  return new Map(
    [...lists].filter(([, own]) => {
      const named = own.map((leaf) => contentShape(known.toLive(leaf.text))).filter(hasWords);
      return named.length > 0 && !named.some((shape) => shapes.has(shape));
    }).map(([item, own]) => {
      const [{ place }] = own;
      const text = own.map(({ text }) => text).join(" ");
      return [item, { kind: "empty list", place, recorded: text, live: "" }];
    }),
  );
}

/**
 * Finds the recorded texts that the live texts lack. Pairs each with the live text at its place
 * that the recording lacks, if there are as many.
 */
function compareLeaves(
  recorded: readonly Leaf[],
  live: readonly Leaf[],
  known: KnownPairs,
): ContentDifference[] {
  const expected = recorded.map((leaf) => ({
    ...leaf,
    expected: known.liveOf(leaf.text) ?? known.toLive(leaf.text),
  }));
  const same = new Set(live.map(({ text }) => text));
  const open = expected.filter((leaf) => !same.has(leaf.expected));
  if (open.length === 0) return [];
  const shapes = new Set(live.map(({ text }) => contentShape(text)));
  const missing = open.filter((leaf) => {
    const shape = contentShape(leaf.expected);
    return hasWords(shape) && !shapes.has(shape);
  });
  const own = new Set(expected.map((leaf) => contentShape(leaf.expected)));
  const added = Map.groupBy(
    live.filter(({ text }) => !own.has(contentShape(text))),
    ({ place }) => place,
  );
  return [...Map.groupBy(missing, ({ place }) => place)].flatMap(([place, leaves]) => {
    const others = added.get(place) ?? [];
    const isPaired = leaves.length === others.length;
    return leaves.flatMap(({ text, expected, item }, i): ContentDifference[] => {
      const other = isPaired ? others[i] : undefined;
      if (other?.text === text) return item === undefined ? earlierText(text, place, known) : [];
      if (other !== undefined && sameContent(expected, other.text)) return [];
      return [{ kind: "other", place, recorded: text, live: other?.text ?? "" }];
    });
  });
}

/** Headers that describe the connection, the message or caching, but not the content. */
const OF_MESSAGE =
  /^(?:accept-ranges|alt-svc|cache-control|connection|content-encoding|content-type|etag|keep-alive|last-modified|pragma|server|server-timing|strict-transport-security|transfer-encoding|vary|via)$/;

/** Headers that contain a policy: directives and their sources, in any order. */
const OF_POLICY =
  /^(?:content-security-policy(?:-report-only)?|(?:permissions|feature|document)-policy|clear-site-data)$/;

function headerContent(compared: Compared): ContentDifference[] {
  const byName = Map.groupBy(alignHeaders(compared), ({ at }) => at.view.key);
  // The first pair of a header is its whole value.
  return [...byName].flatMap(([name, [{ recorded, live }]]): ContentDifference[] =>
    OF_MESSAGE.test(name) || sameContent(compared.known.toLive(recorded), live) ||
      (OF_POLICY.test(name) && samePolicy(recorded, live))
      ? []
      : [{ kind: "other", place: `header ${name}`, recorded, live }]
  );
}

/** Compares two policies as sets of directives, which are sets of sources. Ignores nonces. */
function samePolicy(recorded: string, live: string): boolean {
  const [policy, livePolicy] = [recorded, live].map((text) =>
    text.toLowerCase().split(/[;,]/).map((directive) =>
      (directive.match(/\S+/g) ?? []).filter((source) => !/^'(?:nonce|sha\d+)-/.test(source))
        .sort().join(" ")
    ).filter((directive) => directive !== "").sort().join(";")
  );
  return policy === livePolicy;
}

const LONGEST_SHOWN = 100;
const BEFORE = 20;
const LONGEST_HIDDEN = 4_000;

function shown(found: ContentDifference, hide: (text: string) => string): ContentDifference {
  const { recorded, live, path } = found;
  // A secret can be a value at any depth below the name that identifies it.
  const names = path === undefined ? found.place.match(/[\w-]+/g) ?? [] : [];
  const hidden = around([recorded, live], LONGEST_HIDDEN / 2, LONGEST_HIDDEN).map((text) => {
    const isSecret = names.some((name) => isNamedSecret(name, text));
    return isSecret ? HIDDEN : hide(text);
  });
  const [text, liveText] = around(hidden, BEFORE, LONGEST_SHOWN);
  return { ...found, place: hide(found.place), recorded: text, live: liveText };
}

/**
 * Returns the part of each of two texts around their first difference, `before` code units before
 * it and at most `most` in all, with `…` in place of the rest.
 */
function around(texts: readonly string[], before: number, most: number): string[] {
  const [one, other] = texts;
  let same = 0;
  while (same < one.length && one[same] === other[same]) same++;
  const isLong = texts.some(({ length }) => length > most);
  const start = isLong ? Math.max(0, same - before) : 0;
  return texts.map((text) => {
    const part = text.slice(start, start + most);
    return (start > 0 ? "…" : "") + part + (start + part.length < text.length ? "…" : "");
  });
}
