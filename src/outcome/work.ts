import { isMap } from "../base/exact_number.ts";
import { plural } from "../base/format.ts";
import { undoEntities } from "../base/string_escapes.ts";
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
import { valueAt } from "../extract/jsonpath.ts";
import { tooDeep } from "../plan/parse_tree.ts";
import { headerValue } from "../traffic/har/recording.ts";
import { percentDecodedText } from "../traffic/session/call_url.ts";
import { compareResponses } from "./compare_responses.ts";
import { canTeach } from "./judge_response.ts";
import { type Contents, type Leaf, readContents, readMarkup } from "./leaves.ts";
import { findRefusalText } from "./refusal.ts";
import { contentShape, hasWords } from "./shapes.ts";

/** Text that a write sent, or a value that its response created: as recorded, and live. */
export interface WorkTrace {
  readonly recorded: string;
  readonly live: string;
}

/** A recorded response after a write, and the live response in its place, if there is one. */
export interface LaterResponse {
  readonly recorded: ComparedResponse;
  readonly live: ComparedResponse | undefined;
  /** True if its request needs the session that the write, a login, opened (default: false). */
  readonly isInSession?: boolean;
}

/** A write, and the responses that can show whether it did its work. */
export interface ComparedWrite {
  readonly recorded: ComparedResponse;
  readonly live: ComparedResponse;
  /** What the user sent with the write, and the values that its response created. */
  readonly traces: readonly WorkTrace[];
  /** Recorded responses before the write. Text that they contain shows nothing. */
  readonly earlier: readonly ComparedResponse[];
  readonly later: readonly LaterResponse[];
  /**
   * True if the recording lacks the body of the request, so that the plan sends a rebuilt one. A
   * response without traces then shows nothing.
   */
  readonly isRebuilt?: boolean;
}

/**
 * Whether a write did its work. If so, `by` is the evidence: a trace in its response, a trace in a
 * later response, a later response in the session that it opened, a response with the recorded
 * structure, or a response that can show nothing.
 */
export type Work =
  | {
    readonly isShown: true;
    readonly by: "response" | "later response" | "session" | "structure" | "no content";
  }
  | { readonly isShown: false; readonly reason: string };

/** Minimum length of a trace, in UTF-16 code units. Shorter text occurs by chance. */
const SHORTEST_TRACE = 4;
/** A live response is much smaller if it has less than this share of the recorded structure. */
const SMALL = 0.5;
/** Minimum number of parts of a recorded structure that is evidence, not only a root. */
const RICH = 4;
const MOST_LATER = 5;

/**
 * Decides whether a live write did its work: its response or a later one contains a trace of the
 * write where the recording does, or its response has the structure of the recorded one. The work
 * of a login is its session, which a later call shows that needs it. A much smaller response shows
 * the opposite. A later response that is not as recorded shows nothing.
 */
export function workShown(write: ComparedWrite): Work {
  const { recorded, live, earlier, later, isRebuilt = false } = write;
  const [size, liveSize] = [recorded, live].map(structureSize);
  if (size >= RICH && liveSize < size * SMALL) {
    return {
      isShown: false,
      reason: `the response has ${plural(liveSize, "part")} instead of ${size}`,
    };
  }
  const count = lostCount(recorded, live);
  if (count !== undefined) return { isShown: false, reason: count };
  const before = earlier.map(contentOf);
  const traces = write.traces.filter(({ recorded: text }) =>
    text.length >= SHORTEST_TRACE && !before.some((content) => content.includes(text))
  );
  const own = contentOf(recorded);
  const inOwn = traces.filter((trace) => own.includes(trace.recorded));
  const liveOwn = contentOf(live);
  if (inOwn.some((trace) => liveOwn.includes(trace.live))) return { isShown: true, by: "response" };
  const holders = later.map(({ recorded, live }) => {
    const content = contentOf(recorded);
    const held = traces.filter((trace) => content.includes(trace.recorded));
    const isFailed = held.length > 0 && live !== undefined && !isComparable(recorded, live);
    return { live, held: isFailed ? [] : held };
  }).filter(({ held }) => held.length > 0);
  for (const { live, held } of holders.slice(0, MOST_LATER)) {
    const content = live === undefined ? "" : contentOf(live);
    if (held.some((trace) => content.includes(trace.live))) {
      return { isShown: true, by: "later response" };
    }
  }
  const isOpen = later.some(({ recorded, live, isInSession }) =>
    isInSession && live !== undefined && isComparable(recorded, live)
  );
  if (isOpen) return { isShown: true, by: "session" };
  const isFull = size >= RICH && hasStructure(recorded, live);
  if (isFull && !isRebuilt) return { isShown: true, by: "structure" };
  if (inOwn.length + holders.length > 0) {
    return { isShown: false, reason: "no response shows what it sent, as recorded responses do" };
  }
  if (isRebuilt) return { isShown: false, reason: "the recording lacks its body" };
  return { isShown: true, by: size >= RICH ? "structure" : "no content" };
}

function isComparable(recorded: ComparedResponse, live: ComparedResponse): boolean {
  const differences = compareResponses(recorded, live, true);
  return canTeach(differences) &&
    !differences.some(({ kind, live }) => kind === "title" && live === "");
}

// Each write is compared with all responses before and after it.
const searchedTexts = new WeakMap<ComparedResponse, string>();

function contentOf(response: ComparedResponse): string {
  return searchedTexts.getOrInsertComputed(response, readContent);
}

function readContent(response: ComparedResponse): string {
  const location = headerValue(response.headers, "location") ?? "";
  const { text = "" } = response;
  const attributes = /^\s*</.test(text) ? attributeText(text) : "";
  const texts = readContents(response).leaves.map(({ text }) => text);
  return [percentDecodedText(location, false), ...texts, attributes].join("\n");
}

const ATTRIBUTE = /\s(?:value|href|action|src|content|data-[\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;

function attributeText(markup: string): string {
  return Array.from(markup.matchAll(ATTRIBUTE), ([, double, single]) => double ?? single)
    .map((text) => undoEntities(text).value).join("\n");
}

const CHANGED =
  "(?:process|delet|remov|updat|creat|affect|import|insert|modifi|match|chang|sav|add|upload)ed";
/**
 * Matches the path of a count of what a write changed, such as `rowsAffected` or `deleted_tasks`,
 * but not `unchanged`, `last_changed` or `updated_by`.
 */
const COUNT_PATH = new RegExp(
  `^[^[]*\\.(?:(?:num|total|rows?|count|n)_?)?${CHANGED}(?:_?count|_?[a-z]*[^us]s)?$`,
  "i",
);
const COUNT_TEXT = new RegExp(
  `^${CHANGED} \\d+ [\\w-]+\\.?$|^\\d+ [\\w-]+ (?:(?:was|were|have been) )?${CHANGED}\\.?$`,
  "i",
);

/**
 * Describes a count of changed objects that is zero live, such as `{"deleted": 0}` or `Deleted 0
 * tasks`, but not in the recording.
 */
function lostCount(recorded: ComparedResponse, live: ComparedResponse): string | undefined {
  const zeros = new Map(
    readContents(live).leaves.filter(({ text }) => /(?<!\d)0(?!\d)/.test(text))
      .map(({ place, text }) => [place, text]),
  );
  const isCount = ({ text, path }: Leaf) =>
    COUNT_TEXT.test(text) || /^\d+$/.test(text) && COUNT_PATH.test(path);
  const found = readContents(recorded).leaves.find((leaf) =>
    isCount(leaf) && /[1-9]/.test(leaf.text) && zeros.has(leaf.place) &&
    singularText(zeros.get(leaf.place)!) === singularText(leaf.text.replace(/\d+/, "0"))
  );
  return found && `\`${found.place}\` is ${zeros.get(found.place)} instead of ${found.text}`;
}

function singularText(text: string): string {
  return text.replace(/s\b/g, "");
}

function structureSize(response: ComparedResponse): number {
  return isRedirect(response) ? 0 : readContents(response).structure.size;
}

function hasStructure(recorded: ComparedResponse, live: ComparedResponse): boolean {
  const { structure } = readContents(live);
  return [...readContents(recorded).structure].every((part) => structure.has(part));
}

const PLAIN = /^\$(?:\.[\w$-]+|\['[^'\\]*'\]|\[-?\d+\])+$/;
const STEP = /\.([\w$-]+)|\['([^']*)'\]|\[(-?\d+)\]/g;

/**
 * Reports whether a JSONPath that selects a row by its position may select the row of another user:
 * the live list has other rows than the recorded one, and its row at this position is not the one
 * with the recorded contents. Ignores the selected value, which `known` may pair with a wrong one.
 */
export function mayBeOtherRow(
  expression: string,
  recorded: unknown,
  live: unknown,
  known: KnownPairs,
): boolean {
  if (!PLAIN.test(expression)) return false;
  const steps = Array.from(
    expression.matchAll(STEP),
    ([, name, quoted, index]) => index === undefined ? name ?? quoted : Number(index),
  );
  return steps.some((step, i) => {
    if (typeof step !== "number") return false;
    const [list, liveList] = [recorded, live].map((json) => valueAt(json, steps.slice(0, i)));
    if (!Array.isArray(list) || !Array.isArray(liveList)) return false;
    if (list.length === liveList.length) return false;
    const rest = steps.slice(i + 1);
    const [items, liveItems] = [list, liveList].map((all) =>
      all.map((item) => without(item, rest))
    );
    const [at, liveAt] = [list, liveList].map(({ length }) => step < 0 ? length + step : step);
    return !matchItems(items, liveItems, known).some(([a, b]) => a === at && b === liveAt);
  });
}

function without(value: unknown, [step, ...rest]: readonly (string | number)[]): unknown {
  if (step === undefined) return null;
  if (Array.isArray(value)) return value.map((item, i) => i === step ? without(item, rest) : item);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      name !== step ? [[name, member]] : rest.length === 0 ? [] : [[name, without(member, rest)]]
    ),
  );
}

/**
 * What a response that is as recorded shows nevertheless:
 *
 * - `empty list`: a list or an object has no items, but had some in the recording
 * - `refusal`: a text that the recording lacks reads like a refusal
 * - `earlier text`: a text that is not in a list is as recorded, although the user sent another one
 *   in its place
 *
 * Contains recorded and live text.
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

/**
 * Finds the lists that a live response lacks, and the texts in it that it should not contain.
 * Recorded values may have the live values that `known` has for them. `alike` are the other
 * recorded responses to the same read. `hide` removes secrets from text. Truncates long strings.
 */
export function compareContent(
  { recorded, live, known, alike = [] }: Compared & {
    readonly alike?: readonly ComparedResponse[];
  },
  hide: (text: string) => string,
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
  const found = body.form === "json"
    ? findInJson(body.json, liveBody.json, known)
    : findInTexts(readContents(recorded), readContents(live), known);
  return [
    ...found,
    ...(refusal === undefined
      ? []
      : [{ kind: "refusal" as const, place: "text", recorded: "", live: refusal }]),
  ].map((one) => ({ ...one, recorded: shown(one.recorded, hide), live: shown(one.live, hide) }));
}

const LONGEST_SHOWN = 100;

function shown(text: string, hide: (text: string) => string): string {
  const hidden = hide(text);
  return hidden.length > LONGEST_SHOWN ? `${hidden.slice(0, LONGEST_SHOWN)}…` : hidden;
}

/** Deeper JSON values could overflow the stack. */
const DEEPEST_JSON = 200;
const MARKUP = /<[a-z!][^<>]*>/i;

/**
 * Finds the lists and objects of a JSON value that are empty or missing live, and earlier texts.
 * Matches list items by the values that they share.
 */
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
        found.push(...inner.map((one) => ({ ...one, place: `${place} ${one.place}` })));
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
        const liveName = [name, known.liveOf(name) ?? name].find((one) => Object.hasOwn(live, one));
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
  const at = ({ leaves }: Contents, place: string) => leaves.filter((one) => one.place === place);
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
