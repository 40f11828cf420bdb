import { plural } from "../base/format.ts";
import { alignHeaders } from "../correlation/align.ts";
import {
  type ComparedResponse,
  isRedirect,
  mediaTypeOf,
  readBody,
} from "../correlation/compared_response.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import type { JsonPath } from "../correlation/views.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import { isNamedSecret } from "../traffic/session/secret_names.ts";
import { HIDDEN } from "../traffic/session/secret_texts.ts";
import {
  type Container,
  type Contents,
  type Leaf,
  markupContents,
  readContents,
} from "./leaves.ts";
import { findRefusalText } from "./refusal.ts";
import { contentShape, hasWords, sameContent } from "./shapes.ts";

/**
 * How the content of a live response differs from the recorded content:
 *
 * - `empty list`: a list or an object has no items, but had some in the recording
 * - `empty text`: a string is empty that was not empty in the recording
 * - `refusal`: a string that does not occur in the recording reads like a refusal
 * - `other`: a string or another value differs or is missing
 */
export type ContentKind = "empty list" | "empty text" | "refusal" | "other";

/** Kinds in the order in which reports list them, most important first. */
export const CONTENT_KINDS: readonly ContentKind[] = [
  "empty list",
  "empty text",
  "refusal",
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
  /** Recorded content, or the number of items. Empty if the recording has no such content. */
  readonly recorded: string;
  /** Live content, or the number of items. Empty if the content is missing. */
  readonly live: string;
  /** Path of a list or an object in JSON. Only for the kind `empty list`. */
  readonly path?: JsonPath;
}

/** Headers that describe the connection, the message or caching, but not the content. */
const OF_MESSAGE =
  /^(?:accept-ranges|alt-svc|cache-control|connection|content-encoding|content-type|etag|keep-alive|last-modified|pragma|server|server-timing|strict-transport-security|transfer-encoding|vary|via)$/;

/** Headers that contain a policy: directives and their sources, in any order. */
const OF_POLICY =
  /^(?:content-security-policy(?:-report-only)?|(?:permissions|feature|document)-policy|clear-site-data)$/;

/** Maximum number of differences per response. */
const MOST = 100;
/** Maximum length of a string in a reported difference, in UTF-16 code units. */
const LONGEST = 100;
/** Number of UTF-16 code units to show before the first difference between two long strings. */
const BEFORE = 20;
/** Maximum length of the part of a string that is searched for secrets, in UTF-16 code units. */
const LONGEST_HIDDEN = 4_000;

/** Responses to compare. */
export interface ComparedContent {
  readonly recorded: ComparedResponse;
  readonly live: ComparedResponse;
  /** The other recorded responses to the same read request. */
  readonly alike?: readonly ComparedResponse[];
}

/** Differences between the content of a live response and that of the recorded one. */
export interface ResponseContent {
  /** Differences, most important first. */
  readonly differences: readonly ContentDifference[];
  /** Number of differences that are not in `differences`. */
  readonly more: number;
}

/**
 * Finds the places where the content of a live response differs from that of the recorded response,
 * although the response has the recorded status, media type and redirect target, and is not a
 * different page. Ignores values that a server generates, and recorded values whose live value is
 * in `known`. `hide` removes secrets from text. Truncates long strings.
 */
export function compareContent(
  { recorded, live, alike = [] }: ComparedContent,
  known: KnownPairs,
  hide: (text: string) => string,
): ResponseContent {
  const found = [
    ...bodyContent({ recorded, live, alike }, known),
    ...headerContent(recorded, live, known),
  ]
    .sort((a, b) => CONTENT_KINDS.indexOf(a.kind) - CONTENT_KINDS.indexOf(b.kind));
  return {
    differences: found.slice(0, MOST).map((one) => shown(one, hide)),
    more: Math.max(0, found.length - MOST),
  };
}

function bodyContent(
  { recorded, live, alike = [] }: ComparedContent,
  known: KnownPairs,
): ContentDifference[] {
  if (isRedirect(recorded) || mediaTypeOf(recorded) === "text/event-stream") return [];
  const [body, liveBody] = [readBody(recorded), readBody(live)];
  if (body === undefined || liveBody === undefined || body.form !== liveBody.form) return [];
  if (body.text === liveBody.text || known.toLive(body.text) === liveBody.text) return [];
  const own = expected(recorded, known);
  // Most responses contain no refusal, and a recording can contain many responses to the same read.
  const refusal = findRefusalText([own], live) &&
    findRefusalText([own, ...alike.map((one) => expected(one, known))], live);
  const refusals: ContentDifference[] = refusal === undefined
    ? []
    : [{ kind: "refusal", place: "text", recorded: "", live: refusal }];
  return [...refusals, ...compareContents(readContents(recorded), readContents(live), known)];
}

/** Matches text that contains markup. */
const MARKUP = /<[a-z!][^<>]*>/i;

/**
 * Finds the recorded texts that the live contents lack, and the lists that are empty or shorter.
 * Ignores generated values, additional texts and texts that only moved.
 */
function compareContents(
  recorded: Contents,
  live: Contents,
  known: KnownPairs,
): ContentDifference[] {
  const containers = compareContainers(recorded, live);
  const lists = emptiedItems(recorded, live, known);
  const isReported = ({ path, item = "" }: Leaf) =>
    containers.some((one) => isWithin(path, one.path)) || lists.has(item);
  return [
    ...containers.map(({ difference }) => difference),
    ...lists.values(),
    ...compareLeaves(
      withMarkup(recorded.leaves.filter((leaf) => !isReported(leaf)), live.leaves),
      withMarkup(live.leaves, recorded.leaves),
      known,
    ),
  ];
}

function isWithin(path: string, outer: string): boolean {
  return path.startsWith(outer) && /^(?:$|[.[])/.test(path.slice(outer.length));
}

function withMarkup(leaves: readonly Leaf[], others: readonly Leaf[]): Leaf[] {
  if (!leaves.some(isMarkup)) return [...leaves];
  const paths = new Set(others.filter(isMarkup).map(({ path }) => path));
  return leaves.flatMap((leaf) =>
    !isMarkup(leaf) || !paths.has(leaf.path) ? [leaf] : markupContents(leaf.text, false).leaves
      .map((one) => ({ ...one, place: `${leaf.place} ${one.place}`, path: leaf.path }))
  );
}

function isMarkup({ text, path }: Leaf): boolean {
  return path.startsWith("$") && MARKUP.test(text);
}

interface Containers extends Container {
  readonly difference: ContentDifference;
}

function compareContainers(recorded: Contents, live: Contents): Containers[] {
  const found: Containers[] = [];
  const others = Map.groupBy(live.containers, ({ path }) => path);
  const sizeOf = (all: readonly Container[]) => all.reduce((sum, { size }) => sum + size, 0);
  for (const [path, all] of Map.groupBy(recorded.containers, ({ path }) => path)) {
    const [first] = all;
    const { place, steps, isList } = first;
    const size = sizeOf(all);
    const other = others.get(path);
    const liveSize = sizeOf(other ?? []);
    const [name = ""] = /[^.[\]]+(?=[[\]]*$)/.exec(path) ?? [];
    const isError = size === 0 && /^errors?$/.test(nameWords(name).at(-1) ?? "");
    const kind = size > 0 && liveSize === 0
      ? "empty list"
      : isError && liveSize > 0
      ? "refusal"
      : isList && liveSize < size
      ? "other"
      : undefined;
    if (kind === undefined || found.some((one) => isWithin(path, one.path))) continue;
    const counted = (count: number) => plural(count, isList ? "item" : "member");
    const text = kind === "refusal"
      ? live.leaves.filter((leaf) => isWithin(leaf.path, path)).map(({ text }) => text).join(" ")
      : other === undefined
      ? ""
      : counted(liveSize);
    found.push({
      ...first,
      difference: { kind, place, recorded: counted(size), live: text, path: steps },
    });
  }
  return found;
}

function emptiedItems(
  recorded: Contents,
  live: Contents,
  known: KnownPairs,
): Map<string, ContentDifference> {
  const lists = Map.groupBy(recorded.leaves.filter(({ item }) => item !== undefined), itemOf);
  for (const { item = "" } of live.leaves) lists.delete(item);
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

function itemOf({ item = "" }: Leaf): string {
  return item;
}

/**
 * Finds the recorded texts that the live texts lack: in JSON at the same path, otherwise anywhere.
 * Pairs each with the live text at its place that the recording lacks, if there are as many.
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
  const same = new Set(live.map((leaf) => keyOf(leaf, leaf.text)));
  const open = expected.filter((leaf) => !same.has(keyOf(leaf, leaf.expected)));
  if (open.length === 0) return [];
  const shapes = new Set(live.map((leaf) => keyOf(leaf, contentShape(leaf.text))));
  const missing = open.filter((leaf) => {
    const shape = contentShape(leaf.expected);
    return hasWords(shape) && !shapes.has(keyOf(leaf, shape));
  });
  const own = new Set(expected.map((leaf) => keyOf(leaf, contentShape(leaf.expected))));
  const added = Map.groupBy(
    live.filter((leaf) => !own.has(keyOf(leaf, contentShape(leaf.text)))),
    ({ place }) => place,
  );
  return [...Map.groupBy(missing, ({ place }) => place)].flatMap(([place, leaves]) => {
    const others = added.get(place) ?? [];
    const isPaired = leaves.length === others.length;
    return leaves.flatMap(({ text, expected }, i): ContentDifference[] => {
      const other = isPaired ? others[i] : undefined;
      if (other !== undefined && sameContent(expected, other.text)) return [];
      const kind = other?.isText && other.text === "" ? "empty text" : "other";
      return [{ kind, place, recorded: text, live: other?.text ?? "" }];
    });
  });
}

function keyOf({ path }: Leaf, text: string): string {
  return path.startsWith("$") ? `${path} ${text}` : text;
}

function expected(recorded: ComparedResponse, known: KnownPairs): ComparedResponse {
  const { status, headers, mimeType, text } = recorded;
  return { status, headers, mimeType, text: text && known.toLive(text) };
}

function headerContent(
  recorded: ComparedResponse,
  live: ComparedResponse,
  known: KnownPairs,
): ContentDifference[] {
  const byName = Map.groupBy(
    alignHeaders({ recorded, live, known }),
    ({ at }) => at.view.key,
  );
  // The first pair of a header is its whole value.
  return [...byName].flatMap(([name, [{ recorded, live }]]): ContentDifference[] =>
    OF_MESSAGE.test(name) || sameContent(known.toLive(recorded), live) ||
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

function shown(found: ContentDifference, hide: (text: string) => string): ContentDifference {
  const { recorded, live, kind } = found;
  // A secret can be a value at any depth below the name that identifies it.
  const names = kind === "empty list" ? [] : found.place.match(/[\w-]+/g) ?? [];
  const [text, liveText] = cut(
    ...windows(recorded, live).map((text) => {
      const isSecret = names.some((name) => isNamedSecret(name, text));
      return isSecret ? HIDDEN : hide(text);
    }) as [string, string],
  );
  return { ...found, place: hide(found.place), recorded: text, live: liveText };
}

function windows(recorded: string, live: string): string[] {
  const start = Math.max(0, commonStart(recorded, live) - LONGEST_HIDDEN / 2);
  return [recorded, live].map((text) =>
    text.length <= LONGEST_HIDDEN ? text : text.slice(start, start + LONGEST_HIDDEN)
  );
}

function cut(recorded: string, live: string): string[] {
  const isLong = recorded.length > LONGEST || live.length > LONGEST;
  const start = isLong ? Math.max(0, commonStart(recorded, live) - BEFORE) : 0;
  return [recorded, live].map((text) => {
    const part = text.slice(start, start + LONGEST);
    return (start > 0 ? "…" : "") + part + (start + part.length < text.length ? "…" : "");
  });
}

function commonStart(one: string, other: string): number {
  const shortest = Math.min(one.length, other.length);
  let at = 0;
  while (at < shortest && one[at] === other[at]) at++;
  return at;
}
