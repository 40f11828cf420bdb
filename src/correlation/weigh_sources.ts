import { isShortNumber, nameHint } from "../traffic/session/dynamic_value.ts";
import { Base64Field } from "../traffic/session/base64_text.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import {
  type Agreement,
  agreement,
  compareAgreements,
  isInOnlyItem,
  isLinkTo,
  ownWords,
  refererOf,
} from "./agreement.ts";
import type { SessionEvidence } from "./session_evidence.ts";
import type { SharedValue } from "./shared_values.ts";
import { nameOf, type Use } from "./pieces.ts";
import { type Evidence, evidenceFor, followsJsonRule, sumOf, THRESHOLD } from "./prior.ts";
import type { Source } from "./source.ts";
import type { SourceExtractors } from "./source_extractors.ts";
import {
  callWords,
  consumerWords,
  contextWords,
  hasSameName,
  haveCommonWord,
  isCount,
  mayChangeData,
  nameBefore,
  resourceWords,
} from "./words.ts";

/** A place of a value in a response, with the uses of the value that it explains. */
export interface WeighedSource {
  readonly source: Source;
  readonly followsJsonRule: boolean;
  readonly scores: ReadonlyMap<Use, readonly Evidence[]>;
}

type Scores = WeighedSource["scores"];

/** Tolerance for recorders that truncate start times, but not durations, to whole milliseconds. */
export const CLOCK_STEP_MS = 1;

/** Reports whether a call was sent after the response to `producer` had ended. */
export function isAfter(call: RecordedCall, producer: RecordedCall): boolean {
  return call.order > producer.order && call.startedAt + CLOCK_STEP_MS >= producer.endedAt;
}

type Preference = (all: readonly WeighedSource[], value: string) => readonly WeighedSource[];

/**
 * Leave a use that several sources explain to some of them. Each one only takes uses away, so the
 * order is from the narrowest comparison to the widest: the members of one object, the resources of
 * all sources, the forms of pages, and the order of responses. A wider one cannot undo a narrower.
 */
const PREFERENCES: readonly Preference[] = [leaveToMember, leaveToBest, leaveToForm, leaveToLatest];

/** Weighs the sources of a value. Keeps the evidence, which is the same for most uses. */
export class SourceWeigher {
  readonly #shared: SharedValue;
  readonly #session: SessionEvidence;
  readonly #extractors: SourceExtractors;
  readonly #keys: ReadonlyMap<Use, string>;
  readonly #evidence = new Map<Source, Map<string, Evidence[]>>();

  constructor(shared: SharedValue, session: SessionEvidence, extractors: SourceExtractors) {
    this.#shared = shared;
    this.#session = session;
    this.#extractors = extractors;
    this.#keys = evidenceKeys(shared.uses);
  }

  /**
   * Returns the sources that explain some of the uses, in the order of the responses. `isKnown`
   * reports whether the value is already a variable in other uses that are evidence for a use.
   */
  weigh(uses: readonly Use[], isKnown: (use: Use) => boolean): WeighedSource[] {
    const { value, sources } = this.#shared;
    const alike = Map.groupBy(
      uses,
      (use) => `${this.#keys.get(use)}${isKnown(use) ? "\0known" : ""}`,
    );
    const fields = new Map(uses.map((use) => [use, fieldKey(use)]));
    const firsts = new Map<string, Source>();
    const weighed: readonly WeighedSource[] = sources.map((source) => {
      const words = `${source.left}\0${source.collection}`;
      const firstPlace = firsts.getOrInsert(words, source);
      const scores = this.#scores(source, firstPlace, alike, isKnown);
      const isNearest = source.nearestTo !== undefined;
      return {
        source,
        followsJsonRule: followsJsonRule(source, value, uses),
        scores: isNearest ? scores : withSameFields(scores, fields),
      };
    });
    return PREFERENCES.reduce((all, leave) => leave(all, value), weighed)
      .filter(({ scores }) => scores.size > 0);
  }

  #scores(
    source: Source,
    firstPlace: Source,
    alike: ReadonlyMap<string, readonly Use[]>,
    isKnown: (use: Use) => boolean,
  ): Scores {
    const cached = this.#evidence.getOrInsertComputed(source, () => new Map<string, Evidence[]>());
    const scores = new Map<Use, readonly Evidence[]>();
    for (const [key, group] of alike) {
      const { nearestTo } = source;
      const asked = nearestTo === undefined ? group : group.filter((use) => nearestTo.has(use));
      if (asked.length === 0) continue;
      const [use] = asked;
      const evidence = cached.getOrInsertComputed(
        key,
        () => evidenceFor(use, source, firstPlace, this.#session, isKnown(use)),
      );
      if (sumOf(evidence) >= THRESHOLD) {
        for (const one of asked) scores.set(one, evidence);
        continue;
      }
      const inRow: Evidence[] = [...evidence, "row"];
      const picked = sumOf(inRow) < THRESHOLD
        ? []
        : asked.filter((one) =>
          evidence.includes("agreement") || isLinkTo(one, source.occurrence) ||
          evidence.includes("sourceId") && this.#isPicked(one, source)
        );
      if (picked.length === 0 || this.#extractors.writerOfRow(source) === undefined) continue;
      for (const one of picked) scores.set(one, inRow);
    }
    return scores;
  }

  /**
   * Reports whether the response directly before a call offers one item, which only the use picks.
   */
  #isPicked(use: Use, source: Source): boolean {
    return source.call.order === use.call.order - 1 && !isCount(nameOf(use)) &&
      isInOnlyItem(source) &&
      this.#shared.uses.every((other) =>
        other === use || other.call !== use.call || other.field.kind === "header"
      );
  }
}

/** Adds the uses in the same fields of other requests: they contain the same value. */
function withSameFields(scores: Scores, fields: ReadonlyMap<Use, string>): Scores {
  if (scores.size === 0) return scores;
  const explained = new Set([...scores.keys()].map((use) => fields.get(use)));
  const all = new Map(scores);
  for (const [use, field] of fields) {
    if (explained.has(field) && !all.has(use)) all.set(use, []);
  }
  return all;
}

function fieldKey(use: Use): string {
  const { field: { kind }, call, fills, part } = use;
  const isInJson = kind === "json" || part?.within !== undefined;
  const resource = isInJson
    ? [...callWords(call), "", ...consumerWords(use)].join(" ")
    : isShortNumber(use.value)
    ? contextWords(use).join(" ")
    : "";
  return [kind, nameBefore(use), fills, resource].join("\0");
}

/** Minimum number of uses of a value among which those with the same evidence are sought. */
const MANY_USES = 16;
/** Maximum length, in UTF-16 code units, of fields that are compared to find equal uses. */
const LONGEST_COMPARED = 200;

/** Returns a text for each use, which is equal for uses with the same evidence. */
function evidenceKeys(uses: readonly Use[]): ReadonlyMap<Use, string> {
  return new Map(uses.map((use, i) => [use, keyOf(use) ?? `${i}`]));
  function keyOf(use: Use): string | undefined {
    const { call, field, start, fills, part } = use;
    if (uses.length < MANY_USES || field.value.length > LONGEST_COMPARED) return undefined;
    // A header does not depend on the address.
    const url = field.kind === "header" ? "" : call.exchange.request.url;
    const words = [consumerWords(use), contextWords(use), callWords(call)].map((some) =>
      some.join()
    );
    const names = [field.name, part?.name, part?.inPath, nameBefore(use), refererOf(call)];
    const kind = field instanceof Base64Field ? `base64 ${field.kind}` : field.kind;
    return [url, kind, field.value, start, fills, ...names, ...words].join("\0");
  }
}

function keepUses(weighed: WeighedSource, isKept: (use: Use) => boolean): WeighedSource {
  return { ...weighed, scores: new Map([...weighed.scores].filter(([use]) => isKept(use))) };
}

/**
 * Leaves the uses of a number that is a part of a text, as in `"id": "TEA:2"`, to the member of the
 * same JSON object that contains only the number.
 */
function leaveToMember(all: readonly WeighedSource[], value: string): readonly WeighedSource[] {
  if (!isShortNumber(value)) return all;
  const objectOf = ({ source: { call, occurrence: { view: { place } } } }: WeighedSource) =>
    place.kind === "json" ? `${call.order} ${JSON.stringify(place.path.slice(0, -1))}` : "";
  const members = Map.groupBy(all.filter(({ source }) => source.isWhole), objectOf);
  return all.map((one) => {
    const object = objectOf(one);
    const same = one.source.isWhole || object === "" ? [] : members.get(object) ?? [];
    return keepUses(one, (use) => !same.some(({ scores }) => scores.has(use)));
  });
}

/** Leaves each use of a short number to the sources whose resource matches it best. */
function leaveToBest(all: readonly WeighedSource[], value: string): readonly WeighedSource[] {
  if (!isShortNumber(value)) return all;
  const best = new Map<Use, Agreement>();
  const agreements = all.map(({ source, scores }) => {
    const ofUses = new Map([...scores].map(([use, evidence]) => {
      const own = agreement(use, source);
      const isAtLeastSame = isByCreator(use, evidence, source) && own.share < 1;
      return [use, isAtLeastSame ? { share: 1, tie: 0 } : own];
    }));
    for (const [use, own] of ofUses) {
      const isBest = compareAgreements(own, best.get(use) ?? NO_AGREEMENT) > 0;
      if (isBest && isAfter(use.call, source.call)) best.set(use, own);
    }
    return ofUses;
  });
  return all.map((one, i) =>
    keepUses(
      one,
      (use) =>
        compareAgreements(agreements[i].get(use)!, best.get(use) ?? NO_AGREEMENT) >= 0 &&
        !isOtherNumber(use, one.source),
    )
  );
}

const NO_AGREEMENT: Agreement = { share: 0, tie: 0 };

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
function leaveToForm(all: readonly WeighedSource[]): readonly WeighedSource[] {
  const pages = all.filter(({ source: { where, key } }) =>
    where === "field" && !nameHint(key).idLike && !nameHint(key).token
  );
  if (pages.length < 2) return all;
  const formOf = (use: Use) =>
    pages.findLast(({ source: { call, key }, scores }) =>
      scores.has(use) && key === use.field.name && /^\d+$/.test(use.value) &&
      isAfter(use.call, call) && call.exchange.request.url === refererOf(use.call)
    );
  return all.map((one) => keepUses(one, (use) => (formOf(use) ?? one) === one));
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
function leaveToLatest(all: readonly WeighedSource[], value: string): readonly WeighedSource[] {
  const isInRow = ELEMENT_IN_ROW.test(value);
  const quoted = all.filter(({ source: { key }, scores }) =>
    isInRow && key === "id" ||
    [...scores.values()].some((evidence) =>
      evidence.includes("quoted") || isInRow && evidence.includes("query")
    )
  );
  if (quoted.length < 2) return all;
  const first = wordBefore(quoted[0].source);
  const reused = quoted.filter(({ source }) => wordBefore(source) === first);
  const isLatest = (use: Use, { source }: WeighedSource) =>
    !reused.some((other) =>
      other.source.call.order > source.call.order && other.scores.has(use) &&
      isAfter(use.call, other.source.call)
    );
  const [among, inReused] = [new Set(quoted), new Set(reused)];
  return all.map((one) =>
    among.has(one) ? keepUses(one, (use) => inReused.has(one) && isLatest(use, one)) : one
  );
}

function wordBefore({ occurrence: { view, start } }: Source): string {
  return /(\w+)\W*$/.exec(view.text.slice(Math.max(0, start - 60), start))?.[1] ?? "";
}

/**
 * Returns the first source by `rank` that can be extracted, or a better one: the better name of the
 * same object, and for an item of a list, a place that is found without its position.
 */
export function chooseSource(
  sources: readonly WeighedSource[],
  extractors: SourceExtractors,
): WeighedSource | undefined {
  const ranked = sources.toSorted((a, b) => rank(a) - rank(b));
  const first = ranked.find(({ source }) => extractors.canExtract(source));
  if (first === undefined) return undefined;
  const best = ranked.find((one) => isBetterNamed(one, first)) ?? first;
  if (!isInList(best.source)) return best;
  return atFixedPath(best, ranked, extractors) ?? inTypedRow(best, ranked, extractors) ?? best;
}

/**
 * Returns the place of a source in the order of preference: first those whose call probably created
 * the value, because it may change data and its resource is also named where a request sends the
 * value. Of these, and of the others, rather JSON than a page, and rather a page than text.
 */
function rank({ source, followsJsonRule, scores }: WeighedSource): number {
  const words = callWords(source.call);
  const isCreator = mayChangeData(source.call) &&
    scores.entries().some(([use, evidence]) =>
      evidence.includes("created") || haveCommonWord(words, consumerWords(use))
    );
  const place = followsJsonRule ? 0 : /leaf|field|option|header/.test(source.where) ? 1 : 2;
  // One more than the last place: the creator of a value comes first, wherever it has it.
  return (isCreator ? 0 : 3) + place;
}

/** A path without a position finds the value in any response; a write may only repeat it. */
function atFixedPath(
  best: WeighedSource,
  ranked: readonly WeighedSource[],
  extractors: SourceExtractors,
): WeighedSource | undefined {
  const fixed = ranked.find((one) =>
    one.followsJsonRule && !isInList(one.source) && !mayChangeData(one.source.call) &&
    rank(one) <= rank(best) && best.scores.keys().every((use) => one.scores.has(use))
  );
  return fixed !== undefined && extractors.usesPosition(best.source) ? fixed : undefined;
}

/** A text of the user says more about a row than its position. */
function inTypedRow(
  { source: { where, call, occurrence: { view: { place } } } }: WeighedSource,
  ranked: readonly WeighedSource[],
  extractors: SourceExtractors,
): WeighedSource | undefined {
  const isItem = where === "leaf" && place.kind === "json" && typeof place.path.at(-1) === "number";
  return isItem
    ? ranked.find(({ source }) =>
      source.call === call && extractors.writerOfRow(source) !== undefined
    )
    : undefined;
}

/**
 * Reports whether a member of the same JSON object has a name that identifies what the value of the
 * other one does: `buildid`, not `number`, in `/builds/1`.
 */
function isBetterNamed(one: WeighedSource, other: WeighedSource): boolean {
  const objectOf = ({ source: { occurrence: { view } } }: WeighedSource) =>
    view.place.kind === "json" ? view.place.path.slice(0, -1).join("\0") : undefined;
  const isNamed = ({ source: { key }, scores }: WeighedSource) =>
    scores.keys().some((use) => haveCommonWord(resourceWords(key), consumerWords(use)));
  return one.source.call === other.source.call && objectOf(one) !== undefined &&
    objectOf(one) === objectOf(other) && isNamed(one) && !isNamed(other);
}

function isInList({ occurrence: { view: { place } } }: Source): boolean {
  return place.kind === "json" && place.path.some((step) => typeof step === "number");
}
