import { plural } from "../base/format.ts";
import { type ComparedResponse, isRedirect, readBody } from "../comparison/compared_response.ts";
import type { KnownPairs } from "../comparison/known_pairs.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { nameHint } from "../traffic/session/dynamic_value.ts";
import { compareEvents, compareResponses } from "./compare_responses.ts";
import { difference, type ResponseDifference } from "./difference.ts";
import { type Leaf, readContents } from "./leaves.ts";
import {
  findComplaint,
  findRefusal,
  findRefusalText,
  leadsToLogin,
  visibleTexts,
} from "./refusal.ts";

/** How a live response differs from the recorded one. */
export interface JudgedResponse {
  readonly differences: readonly ResponseDifference[];
  readonly refusal?: string;
}

export interface CallFacts {
  readonly method: string;
  /** True if both bodies are the data of a single event that the same condition selected. */
  readonly isEvent?: boolean;
  /** Recorded responses to equal requests, whose commands are normal too. */
  readonly repeats?: () => readonly ComparedResponse[];
  /** Live responses to the call from runs in which it did its work. What varies is ignored. */
  readonly goodResponses?: () => readonly ComparedResponse[];
  /** Recorded texts in the body of the request. */
  readonly sentTexts?: readonly string[];
  /** Texts that name the object which a read requests. */
  readonly named?: () => readonly string[];
  /** Texts that the user typed into earlier requests. */
  readonly typed?: () => readonly string[];
  /** Reports whether a list of `items` items states the results of the call, not of other ones. */
  readonly hasResults?: (items: number) => boolean;
}

/** Compares a live response with the recorded one, after replacing known live values. */
export function judgeResponse(
  recorded: ComparedResponse,
  live: ComparedResponse,
  known: KnownPairs,
  facts: CallFacts,
): JudgedResponse {
  const { method, isEvent = false, repeats = () => [], goodResponses = () => [] } = facts;
  const { sentTexts = [], named, typed = () => [], hasResults = () => false } = facts;
  const shown = withRecordedValues(live, known);
  const isRead = isSafeMethod(method);
  const isAlike = (other: ComparedResponse, { kind }: ResponseDifference) =>
    !compareResponses(other, shown, isRead).some((difference) => difference.kind === kind);
  const isOfOthers = ({ kind, name }: ResponseDifference) => {
    if (kind !== "json-outcome" || !name?.startsWith("[")) return false;
    const list = readBody(recorded)?.json;
    return Array.isArray(list) && !hasResults(list.length);
  };
  const varies = (difference: ResponseDifference) =>
    isOfOthers(difference) ||
    (difference.kind === "command" || difference.kind === "emptied") &&
      repeats().some((other) => isAlike(other, difference)) ||
    OF_CONTENT.has(difference.kind) && goodResponses().some((other) => isAlike(other, difference));
  // The first step that finds a difference decides.
  const steps: readonly (() => readonly ResponseDifference[])[] = [
    () => compareResponses(recorded, shown, isRead).filter((difference) => !varies(difference)),
    () =>
      isEvent ? compareEvents(recorded, shown) : [
        ...isRead
          ? []
          : findRefusals([recorded, ...repeats(), ...goodResponses()], shown, sentTexts),
        ...findOtherMessage(recorded, live, known),
        ...isRead ? [] : findOtherTyped(recorded, live, known, typed),
      ],
    () => named === undefined ? [] : findLostObject(recorded, live, named),
  ];
  const differences = steps.values().map((find) => find()).find(({ length }) => length > 0) ?? [];
  const refusal = differences.length === 0 ? undefined : findRefusalText([recorded], live);
  return { differences, refusal };
}

/** Finds `Oolong is deleted` for `Mint is deleted`, if the plan made the text `Mint` unique. */
function findOtherMessage(
  recorded: ComparedResponse,
  live: ComparedResponse,
  known: KnownPairs,
): ResponseDifference[] {
  const texts = visibleTexts(recorded);
  for (const { text, path } of texts) {
    const own = known.toLive(text);
    if (own === text) continue;
    let end = 0;
    while (end < text.length && text[end] === own[end]) end++;
    const after = text.slice(end);
    const starts = Array.from(
      text.slice(0, end).matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu),
      ({ index }) => index,
    );
    const start = starts.find((at) => known.liveOf(text.slice(at, end)) !== undefined);
    if (start === undefined || !own.endsWith(after)) continue;
    const before = text.slice(0, start);
    if (!/\p{L}{2}/u.test(before + after)) continue;
    const isAlike = (leaf: Leaf) =>
      leaf.path === path && leaf.text.startsWith(before) && leaf.text.endsWith(after) &&
      leaf.text.length > before.length + after.length;
    const shown = visibleTexts(live).filter(isAlike);
    if (texts.filter(isAlike).length > 1 || shown.length === 0) continue;
    if (shown.every((leaf) => leaf.text !== own && leaf.text !== text)) {
      return [difference("message", text, shown[0].text)];
    }
  }
  return [];
}

/** Finds that the only value at a place is a text that the user typed, but live another one. */
function findOtherTyped(
  recorded: ComparedResponse,
  live: ComparedResponse,
  known: KnownPairs,
  typed: () => readonly string[],
): ResponseDifference[] {
  const [places, livePlaces] = [recorded, live].map((response) =>
    Map.groupBy(readContents(response).leaves, ({ path }) => path)
  );
  for (const [path, [{ text }, ...others]] of places) {
    const [shown, ...rest] = livePlaces.get(path) ?? [];
    if (shown === undefined || others.length + rest.length > 0) continue;
    if ([text, known.toLive(text)].includes(shown.text) || !typed().includes(text)) continue;
    return [difference("message", text, shown.text)];
  }
  return [];
}

function findRefusals(
  normal: readonly ComparedResponse[],
  live: ComparedResponse,
  sentTexts: readonly string[],
): ResponseDifference[] {
  if (isRedirect(live)) return [];
  const text = findRefusal(normal, live) ?? findComplaint(normal, live, sentTexts);
  return text === undefined ? [] : [difference("refusal", "", text)];
}

function withRecordedValues(live: ComparedResponse, known: KnownPairs): ComparedResponse {
  return {
    status: live.status,
    mimeType: live.mimeType,
    headers: live.headers.map(({ name, value }) => ({ name, value: known.toRecorded(value) })),
    text: live.text === undefined ? undefined : known.toRecorded(live.text),
  };
}

/** Reports whether a response differs only in its commands: it is a refusal, or they vary. */
export function isDoubtful({ differences }: Pick<JudgedResponse, "differences">): boolean {
  return differences.length > 0 && differences.every(({ kind }) => kind === "command");
}

const OF_CONTENT: ReadonlySet<ResponseDifference["kind"]> = new Set([
  "title",
  "form",
  "form-field",
  "json-key",
  "element",
]);

/** Reports whether a response is evidence about the session's values, and not a different page. */
export function canTeach(differences: readonly ResponseDifference[]): boolean {
  const kinds = new Set(differences.map(({ kind }) => kind));
  const isOtherPage = kinds.has("title") && kinds.has("form");
  return !isOtherPage && [...kinds].every((kind) => OF_CONTENT.has(kind));
}

// WebDAV responds with 405 if the resource to create exists.
const REFUSING = new Set([400, 405, 409, 412, 422]);
const REFUSED: ReadonlySet<ResponseDifference["kind"]> = new Set([
  "empty-body",
  "command",
  "emptied",
  "refusal",
]);
const OVERWRITTEN = new Set([200, 204]);

/** Reports whether a server refused a write, or overwrote a resource instead of creating it. */
export function isRefusal(
  recorded: ComparedResponse,
  live: ComparedResponse,
  differences: readonly ResponseDifference[],
): boolean {
  if (differences.length === 0) return false;
  if (REFUSING.has(live.status) && recorded.status < 400) return true;
  if (recorded.status === 201 && OVERWRITTEN.has(live.status)) return true;
  if (differences.some(({ kind }) => kind.startsWith("json-") || REFUSED.has(kind))) return true;
  // A redirect elsewhere may lead back to the form, or to the free name that the server chose.
  return isRedirect(recorded) &&
    (live.status === 200 || isRedirect(live) && !leadsToLogin(live));
}

/**
 * Finds that the response to a read lacks the object that the request names: recorded, it has an id
 * that the request sends, and live none of its members.
 */
function findLostObject(
  recorded: ComparedResponse,
  live: ComparedResponse,
  named: () => readonly string[],
): ResponseDifference[] {
  const [{ leaves, structure }, { structure: liveStructure }] = [recorded, live].map(readContents);
  for (const { path, text } of leaves) {
    const [, parent, name] = MEMBER_PATH.exec(path) ?? [];
    if (name === undefined || !nameHint(name).idLike) continue;
    const members = [...structure].filter((member) => member.startsWith(`${parent}.`));
    if (members.length < FEWEST_MEMBERS) continue;
    if (members.some((member) => liveStructure.has(member))) continue;
    if (!named().includes(text)) continue;
    return [difference("emptied", `${parent} with ${plural(members.length, "member")}`, "none")];
  }
  return [];
}

const FEWEST_MEMBERS = 4;
/** Matches a member that is not in a list: the path of its object, and its name. */
const MEMBER_PATH = /^(\$[^[]*)\.(\w+)$/;
