import { alignHeaders } from "../correlation/align.ts";
import {
  type ComparedResponse,
  isRedirect,
  mediaTypeOf,
  readBody,
} from "../correlation/compared_response.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import { isNamedSecret } from "../traffic/session/secret_names.ts";
import { HIDDEN } from "../traffic/session/secret_texts.ts";
import { CONTENT_KINDS, type ContentDifference } from "./difference.ts";
import { findJsonContent } from "./json_content.ts";
import { type Contents, type Leaf, readContents, readMarkup } from "./leaves.ts";
import { findRefusalText } from "./refusal.ts";
import { contentShape, hasWords, sameContent } from "./shapes.ts";

/** Headers that describe the connection, the message or caching, but not the content. */
const OF_MESSAGE =
  /^(?:accept-ranges|alt-svc|cache-control|connection|content-encoding|content-type|etag|keep-alive|last-modified|pragma|server|server-timing|strict-transport-security|transfer-encoding|vary|via)$/;

/** Headers that contain a policy: directives and their sources, in any order. */
const OF_POLICY =
  /^(?:content-security-policy(?:-report-only)?|(?:permissions|feature|document)-policy|clear-site-data)$/;

const MOST_DIFFERENCES = 100;
const LONGEST_SHOWN = 100;
const BEFORE = 20;
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
    differences: found.slice(0, MOST_DIFFERENCES).map((one) => shown(one, hide)),
    more: Math.max(0, found.length - MOST_DIFFERENCES),
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
  const differences = body.form === "json"
    ? findJsonContent(body.json, liveBody.json, known, compareMarkup)
    : compareTexts(readContents(recorded), readContents(live), known);
  return [...refusals, ...differences];
}

function compareMarkup(
  recorded: string,
  live: string,
  known: KnownPairs,
): ContentDifference[] {
  return compareTexts(readMarkup(recorded, false), readMarkup(live, false), known);
}

/**
 * Finds the recorded texts that the live contents lack, and the lists of a page that are empty.
 * Ignores generated values, additional texts and texts that only moved.
 */
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
    return leaves.flatMap(({ text, expected }, i): ContentDifference[] => {
      const other = isPaired ? others[i] : undefined;
      if (other !== undefined && sameContent(expected, other.text)) return [];
      return [{ kind: "other", place, recorded: text, live: other?.text ?? "" }];
    });
  });
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
