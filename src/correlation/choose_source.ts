/**
 * Decides which of several sources of a value wins. In this order:
 *
 * 1. `USES` leaves each use to some of the sources that explain it.
 * 2. `ORDER` sorts the sources that remain, and `BETTER` replaces the first one.
 * 3. `isOfVariable` and `isEchoOf` leave its uses to a variable that the value already has.
 *
 * `isLikelier` compares the sources that `calibrate` tries.
 *
 * @module
 */
import { valueAt } from "../extract/jsonpath.ts";
import { isShortNumber, nameHint } from "../traffic/session/dynamic_value.ts";
import {
  type Agreement,
  agreement,
  compareAgreements,
  isOfSendingPage,
  ownWords,
} from "./agreement.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { nameOf, type Use } from "./pieces.ts";
import type { Evidence } from "./prior.ts";
import type { SharedValue } from "./shared_values.ts";
import type { Source } from "./source.ts";
import type { SourceExtractors } from "./source_extractors.ts";
import { isAfter, type WeighedSource } from "./weigh_sources.ts";
import { readable } from "./try_extractor.ts";
import { callWords, consumerWords, mayChangeData } from "./request_words.ts";
import { commonShare, hasSameName, haveCommonWord, resourceWords } from "./words.ts";

/** Minimum length of a text in a search, in UTF-16 code units. */
const SHORTEST_SOUGHT = 3;

type Sources = readonly WeighedSource[];

/** Reports whether a use stays with a source that explains it. */
type Keeps = (use: Use, weighed: WeighedSource) => boolean;

/**
 * Leave a use that several sources explain to some of them. Undefined if it changes nothing. Each
 * one only takes uses away, so the order is from the narrowest comparison to the widest: a wider
 * one cannot undo a narrower.
 */
const USES: readonly ((all: Sources, value: string) => Keeps | undefined)[] = [
  leaveToMember, // The members of one object.
  leaveToResource, // The resources of all sources.
  leaveToForm, // The pages with the form that the request sends.
  leaveToLatest, // The order of the responses.
];

/** Leaves each use to the sources that win it. Omits sources without a use. */
export function divideUses(
  sources: readonly WeighedSource[],
  value: string,
): readonly WeighedSource[] {
  return USES.reduce((all, leave) => {
    const keeps = leave(all, value);
    return keeps === undefined ? all : all.map((weighed) => ({
      ...weighed,
      scores: new Map([...weighed.scores].filter(([use]) => keeps(use, weighed))),
    }));
  }, sources).filter(({ scores }) => scores.size > 0);
}

/**
 * Leaves the uses of a number that is a part of a text, as in `"id": "TEA:2"`, to the member of the
 * same JSON object that contains only the number.
 */
function leaveToMember(all: Sources, value: string): Keeps | undefined {
  if (!isShortNumber(value)) return undefined;
  const objectKey = ({ source: { call, occurrence: { view: { place } } } }: WeighedSource) =>
    place.kind === "json" ? `${call.order} ${JSON.stringify(place.path.slice(0, -1))}` : "";
  const members = Map.groupBy(all.filter(({ source }) => source.isWhole), objectKey);
  members.delete("");
  return (use, weighed) =>
    weighed.source.isWhole ||
    !members.get(objectKey(weighed))?.some(({ scores }) => scores.has(use));
}

const NO_AGREEMENT: Agreement = { share: 0, tie: 0 };

/** Leaves each use of a short number to the sources whose resource matches it best. */
function leaveToResource(all: Sources, value: string): Keeps | undefined {
  if (!isShortNumber(value)) return undefined;
  const best = new Map<Use, Agreement>();
  const agreements = new Map(all.map((weighed) => {
    const { source, scores } = weighed;
    const ofUses = new Map([...scores].map(([use, evidence]) => {
      const own = agreement(use, source);
      const isAtLeastSame = isByCreator(use, evidence, source) && own.share < 1;
      return [use, isAtLeastSame ? { share: 1, tie: 0 } : own];
    }));
    for (const [use, own] of ofUses) {
      const isBest = compareAgreements(own, best.get(use) ?? NO_AGREEMENT) > 0;
      if (isBest && isAfter(use.call, source.call)) best.set(use, own);
    }
    return [weighed, ofUses];
  }));
  return (use, weighed) =>
    compareAgreements(agreements.get(weighed)!.get(use)!, best.get(use) ?? NO_AGREEMENT) >= 0 &&
    !isOtherNumber(use, weighed.source);
}

/**
 * Reports whether an earlier request sent an equal number under another name. In JSON, the name is
 * often generic, such as `params`.
 */
function isOtherNumber(use: Use, { call, key }: Source): boolean {
  return !isAfter(use.call, call) && use.field.kind !== "json" && nameOf(use) !== "" &&
    !hasSameName(key, nameOf(use));
}

/** Reports whether the response to a write contains a value because the write created it. */
function isByCreator(use: Use, evidence: readonly Evidence[], source: Source): boolean {
  // The last word names the resource, as in `project_file`.
  const words = consumerWords(use);
  const own = ownWords(source).slice(-1);
  return evidence.includes("created") && evidence.includes("agreement") &&
    mayChangeData(source.call) && haveCommonWord(source.words, words.slice(-1)) &&
    (own.length === 0 || haveCommonWord(words, own));
}

/**
 * Leaves each use of a number that is the state of a page, such as a version, to the page whose
 * form the request sends. Another page may have the same number by chance.
 */
function leaveToForm(all: Sources): Keeps | undefined {
  const pages = all.filter(({ source: { where, key } }) =>
    where === "field" && !nameHint(key).idLike && !nameHint(key).token
  );
  if (pages.length < 2) return undefined;
  const formOf = (use: Use) =>
    pages.findLast(({ source, scores }) =>
      scores.has(use) && source.key === use.field.name && /^\d+$/.test(use.value) &&
      isAfter(use.call, source.call) && isOfSendingPage(use, source)
    );
  return (use, weighed) => (formOf(use) ?? weighed) === weighed;
}

/**
 * Matches the id of an element in a row, with the position of the row: `teas:table:1:remove`. A
 * link to the element may be a query without a name: `2-1.-rows-1-remove`.
 */
const ELEMENT_IN_ROW = /[A-Za-z][^A-Za-z0-9]+\d{1,3}[^A-Za-z0-9]+[A-Za-z]/;

/**
 * Leaves each use of a value that servers use again to the latest response that contains it after
 * the same word as the first one: a short id in scripts, or the id of an element in a row.
 */
function leaveToLatest(all: Sources, value: string): Keeps | undefined {
  const isInRow = ELEMENT_IN_ROW.test(value);
  const quoted = all.filter(({ source: { key }, scores }) =>
    isInRow && key === "id" ||
    [...scores.values()].some((evidence) =>
      evidence.includes("quoted") || isInRow && evidence.includes("query")
    )
  );
  if (quoted.length < 2) return undefined;
  const firstWord = wordBefore(quoted[0].source);
  const reused = new Set(quoted.filter(({ source }) => wordBefore(source) === firstWord));
  const isLatest = (use: Use, { source }: WeighedSource) =>
    !reused.values().some((later) =>
      later.source.call.order > source.call.order && later.scores.has(use) &&
      isAfter(use.call, later.source.call)
    );
  return (use, weighed) =>
    !quoted.includes(weighed) || reused.has(weighed) && isLatest(use, weighed);
}

function wordBefore({ occurrence: { view, start } }: Source): string {
  return /(\w+)\W*$/.exec(view.text.slice(Math.max(0, start - 60), start))?.[1] ?? "";
}

/** Of two sources, the first of these that only one of them meets decides for it. */
const ORDER: readonly ((weighed: WeighedSource) => boolean)[] = [
  isOfCreator, // Wherever the creator of a value has it.
  ({ followsJsonRule }) => followsJsonRule, // Rather JSON than a page.
  ({ source: { where } }) => /leaf|field|option|header/.test(where), // Rather a page than text.
];

/** Returns a negative number if the first source is preferred, and 0 if none is. */
function compareSources(a: WeighedSource, b: WeighedSource): number {
  for (const isMet of ORDER) {
    const difference = Number(isMet(b)) - Number(isMet(a));
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Reports whether the call of a source probably created the value: it may change data, and its
 * resource is also named where a request sends the value.
 */
function isOfCreator({ source: { call }, scores }: WeighedSource): boolean {
  return mayChangeData(call) &&
    scores.entries().some(([use, evidence]) =>
      evidence.includes("created") || haveCommonWord(callWords(call), consumerWords(use))
    );
}

/** Sources that replace the best one so far. Of several, the first by `ORDER`. */
const BETTER: readonly ((
  candidate: WeighedSource,
  best: WeighedSource,
  extractors: SourceExtractors,
) => boolean)[] = [isBetterNamed, isWholeMember, isAtFixedPath, isInTypedRow, isFound];

/** Returns the best of the sources that an extractor can read. */
export function chooseSource(
  sources: readonly WeighedSource[],
  extractors: SourceExtractors,
): WeighedSource | undefined {
  const sorted = sources.toSorted(compareSources);
  const first = sorted.find(({ source }) => extractors.canExtract(source));
  return first && BETTER.reduce(
    (best, isBetter) => sorted.find((candidate) => isBetter(candidate, best, extractors)) ?? best,
    first,
  );
}

/**
 * Reports whether a member of the same JSON object has a name that identifies what the value of the
 * best one does: `buildid`, not `number`, in `/builds/1`.
 */
function isBetterNamed(candidate: WeighedSource, best: WeighedSource): boolean {
  const objectOf = ({ source: { occurrence: { view } } }: WeighedSource) =>
    view.place.kind === "json" ? view.place.path.slice(0, -1).join("\0") : undefined;
  const isNamed = ({ source: { key }, scores }: WeighedSource) =>
    scores.keys().some((use) => haveCommonWord(resourceWords(key), consumerWords(use)));
  return candidate.source.call === best.source.call && objectOf(candidate) !== undefined &&
    objectOf(candidate) === objectOf(best) && isNamed(candidate) && !isNamed(best);
}

/** A member that is the value needs no text around it, which may contain what the user typed. */
function isWholeMember(
  candidate: WeighedSource,
  best: WeighedSource,
  extractors: SourceExtractors,
): boolean {
  return candidate.source.call === best.source.call &&
    candidate.source.isWhole && !best.source.isWhole &&
    candidate.source.occurrence.view.place.kind === "json" &&
    best.scores.keys().every((use) => candidate.scores.has(use)) &&
    extractors.canExtract(candidate.source);
}

/**
 * A path without a position finds the value in any response, and one to the only item of a list in
 * more than one to an item of several. A write may only repeat what its request sent.
 */
function isAtFixedPath(
  candidate: WeighedSource,
  best: WeighedSource,
  extractors: SourceExtractors,
): boolean {
  const [items, others] = [candidate, best].map(({ source }) => itemsAround(source));
  return items < Math.min(others, 2) && candidate.followsJsonRule &&
    (others > 1 ? !isRepeated(candidate) : !mayChangeData(candidate.source.call)) &&
    compareSources(candidate, best) <= 0 &&
    best.scores.keys().every((use) => candidate.scores.has(use)) &&
    extractors.usesPosition(best.source);
}

/** Reports whether a write sends the value that its response contains. */
function isRepeated({ source: { call }, scores }: WeighedSource): boolean {
  const [{ value }] = scores.keys();
  return mayChangeData(call) && call.fields.some((field) => field.value.includes(value));
}

/** A text of the user says more about a row than its position. */
function isInTypedRow(
  { source }: WeighedSource,
  { source: { where, call, occurrence: { view: { place } } } }: WeighedSource,
  extractors: SourceExtractors,
): boolean {
  const isItem = where === "leaf" && place.kind === "json" && typeof place.path.at(-1) === "number";
  return isItem && source.call === call && extractors.writerOfRow(source) !== undefined;
}

/** A search for a text of the user finds the row that a longer list may show on another page. */
function isFound(
  { source, scores }: WeighedSource,
  best: WeighedSource,
  extractors: SourceExtractors,
): boolean {
  const isSearch = source.call.fields.some(({ kind, value }) =>
    kind === "query" && value.length >= SHORTEST_SOUGHT
  );
  if (!isSearch || [source, best.source].some(({ call }) => mayChangeData(call))) return false;
  const row = extractors.typedRow(source);
  if (row === undefined) return false;
  const searches = ({ fields }: RecordedCall) =>
    fields.some(({ value }) => value.length >= SHORTEST_SOUGHT && row.includes(value));
  const isInList = () =>
    itemsAround(best.source) > 0 || extractors.typedRow(best.source) !== undefined;
  return !searches(best.source.call) && searches(source.call) && isInList() &&
    best.scores.keys().every((use) => scores.has(use) && isAfter(use.call, source.call));
}

/** Returns the number of items in the longest list that contains a value; 0 if none does. */
function itemsAround({ occurrence: { view: { place, response } } }: Source): number {
  if (place.kind !== "json") return 0;
  const { json } = readable(response);
  return Math.max(
    ...place.path.map((step, i) => {
      const list = typeof step === "number" ? valueAt(json, place.path.slice(0, i)) : undefined;
      return Array.isArray(list) ? list.length : 0;
    }),
    0,
  );
}

/**
 * Reports whether a source belongs to a variable of the value: it is the same, or a link in the row
 * of a page that shows the value under the name that the response to the write has which sent the
 * text of the row.
 */
export function isOfVariable(
  source: Source,
  variable: Source,
  { sources }: SharedValue,
  extractors: SourceExtractors,
): boolean {
  if (source === variable) return true;
  return source.where === "link" && variable.isWhole &&
    variable.call.order === extractors.writerOfRow(source) &&
    sources.some(({ call, key }) =>
      call === source.call && haveCommonWord(resourceWords(key), resourceWords(variable.key))
    );
}

/** A source that was chosen for some uses of a value, and why. */
export interface ChosenSource {
  readonly source: Source;
  readonly uses: readonly Use[];
  readonly because: readonly Evidence[];
}

/**
 * Reports whether a response only returns the value that its request sent for the resource of which
 * another source is the creator.
 */
export function isEchoOf({ source, uses }: ChosenSource, creator: ChosenSource): boolean {
  return creator.because.includes("created") &&
    creator.uses.some((sent) =>
      sent.call === source.call && sent.field.kind !== "header" &&
      uses.every((use) => commonShare(consumerWords(use), consumerWords(sent)) === 1)
    );
}

/** A place in a live response that may be the source of a value. */
export interface LikelySource {
  /** True if it is in the page that sent the request. */
  readonly isOfPage: boolean;
  /** Sum of its evidence. */
  readonly score: number;
}

/**
 * Reports whether a source is more likely than another one: it is in the page that sent the request
 * and no evidence is against it, or it has more evidence.
 */
export function isLikelier(source: LikelySource, other: LikelySource | undefined): boolean {
  if (other === undefined) return true;
  const [isOfPage, isOtherOfPage] = [source, other].map((likely) =>
    likely.isOfPage && likely.score >= 0
  );
  return isOfPage === isOtherOfPage ? source.score > other.score : isOfPage;
}
