import { agreement } from "../correlation/agreement.ts";
import { KnownPairs } from "../comparison/known_pairs.ts";
import { isInPath, nameOf, piecesOf, type Use } from "../correlation/pieces.ts";
import { sourceAt } from "../correlation/source.ts";
import { valueAt } from "../extract/jsonpath.ts";
import { encodedRange } from "../correlation/views.ts";
import { pathOf, type ValuePair } from "../comparison/compared_response.ts";
import { membersAround, nameBefore, pathWords } from "../correlation/request_words.ts";
import { hasSameName, PEOPLE, resourceWords } from "../correlation/words.ts";
import type { RequestText } from "../plan/request_texts.ts";
import { nameHint, nameWords, SWITCH } from "../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import { membersAroundPart, type RequestField } from "../traffic/session/request_field.ts";
import { type PlanDraft, quoteValue } from "./draft.ts";
import type { PlanPoint } from "./given_plan.ts";
import { boundedOffsets, isWeak, type SoughtLiteral } from "./literal_edit.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { ResponseSnapshot } from "../comparison/response_snapshot.ts";
import { createdRows, hasMember, removesRow, type SoughtMember } from "./row_objects.ts";

/**
 * A recorded value that a plan should extract, and the live value that a response contains in the
 * same places.
 */
export interface LearnedPair {
  readonly recorded: string;
  readonly live: string;
  /** All places at which the two values were found, in the order of the response. */
  readonly pairs: readonly ValuePair[];
  readonly literal: SoughtLiteral;
}

// A calibration looks up many values in the same fields.
const USES = new WeakMap<RequestField, readonly Use[]>();

function usesIn(call: RecordedCall, field: RequestField): readonly Use[] {
  return USES.getOrInsertComputed(field, () => piecesOf(call, field));
}

/** A point of a plan, and the recorded and the live response or message there. */
interface ComparedPoint {
  readonly point: PlanPoint;
  readonly recorded: ResponseSnapshot;
  readonly live: ResponseSnapshot;
}

/** Selects the differing values of a response or a message that a plan should extract. */
export class PairSelector {
  readonly #at: ComparedPoint;
  readonly #draft: PlanDraft;
  /** The call whose responses are compared. Undefined for a WebSocket message. */
  readonly #call: RecordedCall | undefined;
  /** The calls before and after the response. Empty for a message. */
  readonly #earlier: readonly number[];
  readonly #later: readonly number[];

  constructor(at: ComparedPoint, draft: PlanDraft) {
    this.#at = at;
    this.#draft = draft;
    const { point } = at;
    const isCall = typeof point === "number";
    this.#call = isCall ? draft.recorded.at(point)?.call : undefined;
    this.#earlier = isCall ? draft.given.earlier(point) : [];
    this.#later = isCall ? draft.given.later(point) : [];
  }

  /**
   * Selects the pairs whose recorded value is sent by a later request and does not come from the
   * client. Returns the longest values first. Values that differ only in a part that is itself a
   * selected value, such as URLs with an id, come last.
   */
  select(pairs: readonly ValuePair[]): LearnedPair[] {
    const accepted: LearnedPair[] = [];
    const explained: LearnedPair[] = [];
    const shorter = new KnownPairs();
    const isReordered = reorderedIn(pairs);
    for (const group of groupByValue(pairs)) {
      const kept = group.flatMap((pair) => this.#keep(pair, isReordered(pair)) ?? []);
      if (kept.length === 0) continue;
      const [{ pair: { recorded, live }, literal }] = kept;
      const isExplained = shorter.toLive(recorded) === live && sharesWord(recorded, live);
      for (const { pair } of kept) {
        if (pair.live !== live) this.#refuse(pair, `in another place, the live value is ${live}`);
      }
      shorter.add(recorded, live);
      const same = kept.filter(({ pair }) => pair.live === live).map(({ pair }) => pair);
      (isExplained ? explained : accepted).push({ recorded, live, pairs: same, literal });
    }
    return [...accepted.reverse(), ...explained];
  }

  /**
   * Returns a pair with what to replace, if a later request sends it and nothing speaks against.
   */
  #keep(pair: ValuePair, isReordered: boolean) {
    const literal = this.#soughtLiteral(pair);
    if (literal === undefined || !this.#draft.values.isSentAfter(this.#at.point, literal)) {
      return undefined;
    }
    const reason = isReordered
      ? "the values are only in another order"
      : this.#objectionTo(pair, literal);
    if (reason === undefined) return { pair, literal };
    this.#refuse(pair, reason);
    return undefined;
  }

  #refuse({ recorded, live }: ValuePair, reason: string): void {
    this.#draft.explain(
      this.#at.point,
      `${quoteValue(recorded)} → ${quoteValue(live)} is not extracted: ${reason}`,
    );
  }

  #soughtLiteral(pair: ValuePair): SoughtLiteral | undefined {
    const { recorded: value, name } = pair;
    if (!/[\p{L}\p{N}]/u.test(value)) return undefined;
    if (!isWeak(value)) return { value, agrees: undefined };
    const source = this.#call && sourceAt(this.#call, pair.at, 0);
    const isSmall = /^\d{1,3}$/.test(value);
    const uses = this.#later.flatMap((i) => usesBy(i, value, this.#draft.recorded));
    // Flags are often equal by chance, so only the same name shows that they are the same flag.
    const named = source === undefined || SWITCH.test(value) ? [] : uses.filter((use) => {
      const { share } = agreement(use, source);
      return isSmall ? share >= LEAST_SHARE : share > 0;
    });
    const own = uses.length === 0 ? [] : this.#ownUsesOf(pair);
    const agreeing = [...named, ...own].map(placeOfUse);
    // The name of an object around a member `id` says more than its own name.
    const isBare = nameHint(name).idLike && resourceWords(name).length === 0;
    const isOther = ({ around = [] }: RequestText) => isBare && around.length > 0;
    return {
      value,
      agrees: (text) =>
        name !== "" && !isOther(text) && hasSameName(text.name, name) ||
        agreeing.includes(placeOf(text)),
      ...(source?.where === "field" && { until: this.#nextForm(pair) }),
    };
  }

  /** Returns the uses of a value by requests for the object that it identifies. */
  #ownUsesOf(pair: ValuePair): Use[] {
    const [point, draft] = [this.#at.point as number, this.#draft];
    const rows = createdRows(point, pair.recorded, draft);
    const isFound = this.#findsForm(pair);
    return this.#later.flatMap((i) => {
      const uses = usesBy(i, pair.recorded, draft.recorded);
      const isRemoved = uses.length === 1 && draft.isWrite(i) && isInItem(pair) &&
        removesRow(i, point, memberOf(pair), nameOf(uses[0]), draft.recorded);
      return uses.filter((use) =>
        isRemoved || isFound && isIdField(use) ||
        rows.some((row) => row.list < i && hasSameName(row.name, nameBefore(use)))
      );
    });
  }

  /**
   * Reports whether a search of the user found an id that later requests send in one id field. A
   * fixed choice may be the same number by chance, so the name of the field must say more: a
   * request sends the text of the search in a field of a similar name, or the search names the
   * field, or both name people. If nothing says it, the number must have several digits, and only
   * this result and the pages of its object contain it.
   */
  #findsForm(pair: ValuePair): boolean {
    const searched = this.#call?.fields.find(({ name, value }) =>
      /\p{L}{2}/u.test(value) && nameWords(name).some((word) => SEARCH.has(word))
    );
    if (searched === undefined || !isInItem(pair) || !nameHint(pair.name).idLike) return false;
    const { recorded } = this.#draft;
    const names = this.#later.flatMap((i) => usesBy(i, pair.recorded, recorded))
      .filter(isIdField).map(nameOf);
    const [name, ...others] = new Set(names);
    if (name === undefined || others.length > 0) return false;
    const words = nameWords(name);
    const named = this.#later.flatMap((i) => recorded.at(i)?.call.fields ?? [])
      .filter(({ kind, value }) => kind !== "query" && value.startsWith(searched.value));
    if (named.length > 0) {
      return named.some((field) => nameWords(field.name).some((word) => words.includes(word)));
    }
    if (words.some((word) => CHOICES.has(word))) return false;
    const field = resourceWords(name);
    const resource = field.join("");
    const isPerson = PEOPLE.has(field.at(-1) ?? "") &&
      pathWords(this.#call!).some((word) => PEOPLE.has(word));
    return isPerson ||
      this.#call!.fields.some((other) =>
        other !== searched && resourceWords(other.value).join("") === resource
      ) || pair.recorded.length > 1 && this.#isOnlyResult(pair);
  }

  /** Reports whether a list has only the item of a pair, and no other response contains its id. */
  #isOnlyResult(pair: ValuePair): boolean {
    const path = pathOf(pair)!;
    const at = path.findLastIndex((step) => typeof step === "number");
    const list = valueAt(this.#at.recorded.view.json, path.slice(0, at));
    return Array.isArray(list) && list.length === 1 &&
      [...this.#earlier, ...this.#later].every((i) =>
        usesBy(i, pair.recorded, this.#draft.recorded).some(isInPath) ||
        boundedOffsets(this.#draft.recorded.at(i)?.response.view.text ?? "", pair.recorded)
            .length === 0
      );
  }

  /** Returns the next call whose recorded response has a form with the same field and value. */
  #nextForm({ name, recorded: value }: ValuePair): number | undefined {
    if (!hasField(this.#at.recorded, name, value)) return undefined;
    return this.#later.find((i) => hasField(this.#draft.recorded.at(i)?.response, name, value));
  }

  #objectionTo(pair: ValuePair, literal: SoughtLiteral): string | undefined {
    if (isFromClient(this.#at.point, literal, this.#draft)) {
      return "a request sent the value before any response contained it";
    }
    if (PROSE.test(pair.recorded)) return "it reads like text that the user typed";
    if (pair.mayMove && this.#isMoved(pair)) {
      return "the live response also contains the recorded value";
    }
    const creator = this.#creatorOf(pair);
    return creator === undefined ? undefined : `call ${creator + 1} created the row`;
  }

  /** Reports whether the live response also contains the recorded value, so that it only moved. */
  #isMoved(pair: ValuePair): boolean {
    const { text, json } = this.#at.live.view;
    if (!text.includes(pair.recorded)) return false;
    if (!isWeak(pair.recorded)) return boundedOffsets(text, pair.recorded).length > 0;
    const at = offsetOf(pair);
    if (at === undefined) return hasMember(json, memberOf(pair));
    const context = this.#at.recorded.view.text.slice(Math.max(0, at - CONTEXT), at);
    return boundedOffsets(text, context + pair.recorded).length > 0;
  }

  /** Returns the number of an earlier write whose response contains the id of a list item. */
  #creatorOf(pair: ValuePair): number | undefined {
    const draft = this.#draft;
    return this.#earlier.find((i) =>
      draft.isWrite(i) &&
      (isInItem(pair) && hasMember(draft.recorded.at(i)?.response.view.json, memberOf(pair)) ||
        createdRows(i, pair.recorded, draft).some(({ list }) => list === this.#at.point))
    );
  }
}

/** Groups pairs by recorded value, and returns the shortest values first. */
function groupByValue(pairs: readonly ValuePair[]): ValuePair[][] {
  const byValue = Map.groupBy(pairs, ({ recorded, name }) =>
    // A weak value, such as a date or a short number, is a different value under each name.
    isWeak(recorded) ? `${recorded}\0${name}` : recorded);
  return [...byValue.values()].sort((a, b) => a[0].recorded.length - b[0].recorded.length);
}

/** Returns a function that reports whether the two values of a pair changed places with others. */
function reorderedIn(pairs: readonly ValuePair[]): (pair: ValuePair) => boolean {
  const values = new Set(pairs.map(({ recorded }) => recorded));
  const lives = new Set(pairs.map(({ live }) => live));
  // Small numbers may be equal by chance.
  return ({ recorded, live }) => !/\d/.test(recorded) && values.has(live) && lives.has(recorded);
}

/** Least agreement of the names that shows the source of a small number, such as an offset. */
const LEAST_SHARE = 0.5;
/** Matches text of several words without digits. Only a call that fails without it needs it. */
const PROSE = /^\P{N}*\p{L}{2}\s+\p{L}\P{N}*$/u;
/**
 * Length, in UTF-16 code units, of the text directly before a value that is not distinctive. The
 * value counts as moved only if this text precedes it in both responses.
 */
const CONTEXT = 12;

/** Words in the names of parameters for what the user searches. */
const SEARCH = new Set("search q query term keyword".split(" "));

/** Words in the names of fields with a choice of a fixed list, which no search finds. */
const CHOICES = new Set("priority status state type kind method level mode severity".split(" "));

/** Reports whether a use is the number of a field that contains an id, and is not in a path. */
function isIdField(use: Use): boolean {
  return !isInPath(use) && /^\d+$/.test(use.value) && nameHint(nameOf(use)).idLike;
}

function hasField(page: ResponseSnapshot | undefined, name: string, value: string): boolean {
  return page?.forms.some(({ controls }) =>
    controls.some((control) => control.name === name && control.value === value)
  ) ?? false;
}

function isInItem(pair: ValuePair): boolean {
  return pathOf(pair)?.some((step) => typeof step === "number") ?? false;
}

function usesBy(index: number, value: string, recorded: RecordedSide): Use[] {
  const { call } = recorded.at(index) ?? {};
  const fields = call?.fields.filter((field) => field.value.includes(value)) ?? [];
  return fields.flatMap((field) => usesIn(call!, field))
    .filter((use) => use.value === value && use.fills !== "piece");
}

/**
 * Reports whether a request sent a value before the response or message at a point arrived, or
 * while it was waiting for it.
 */
export function isFromClient(
  point: PlanPoint,
  literal: SoughtLiteral,
  draft: PlanDraft,
): boolean {
  const index = draft.given.requestAt(point);
  // An earlier request may send the same number for another reason, but not the same word.
  return literal.agrees !== undefined && /\d/.test(literal.value)
    ? draft.values.isSentBefore(point, literal)
    : draft.values.isSentBefore(point, literal, true) ||
      index !== undefined && draft.recorded.isSentUpTo(index, literal.value);
}

/**
 * Reports whether two strings have a word in common at the same position. Such strings consist of
 * several parts, as URLs do. Any other string is a single value, even if it contains separators, as
 * base64 does.
 */
function sharesWord(recorded: string, live: string): boolean {
  const [words, liveWords] = [recorded, live].map((text) => text.split(/[^A-Za-z0-9]+/));
  return words.some((word, i) => /^[A-Za-z]{3,}$/.test(word) && word === liveWords[i]);
}

/** Returns a key of the place of a text in its request. */
export function placeOf({ kind, around = [], name }: RequestText): string {
  return [kind, ...around, name].join(" ");
}

/** Returns the place of the text that sends a use. */
export function placeOfUse(use: Use): string {
  const { call, field, part } = use;
  const [kind, around] = part?.within === undefined
    ? [field.kind, membersAround(call, field)]
    : ["json", membersAroundPart(part).reverse()];
  return [kind, ...around, nameBefore(use)].join(" ");
}

function memberOf({ name, recorded }: ValuePair): SoughtMember {
  return { value: recorded, isNamed: (key) => name === "" || key === name };
}

/** Returns the offset of the recorded value in a body that is not JSON, or undefined. */
function offsetOf({ at }: ValuePair): number | undefined {
  const range = encodedRange(at);
  return range?.view.place.kind === "body" ? range.start : undefined;
}
