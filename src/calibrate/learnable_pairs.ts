import type { RequestText } from "../plan/request_texts.ts";
import { KnownPairs } from "../correlation/known_pairs.ts";
import { offsetOf, pathOf, type ValuePair } from "../correlation/value_pair.ts";
import type { Occurrence } from "../correlation/views.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import { boundedOffsets, type LiteralValue } from "./literal_edit.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";

/**
 * A recorded value that a plan should extract, and the live value that a response contains in the
 * same places.
 */
export interface LearnablePair {
  readonly recorded: string;
  readonly live: string;
  /** All places at which the two values were found, in the order of the response. */
  readonly pairs: readonly ValuePair[];
  readonly literal: LiteralValue;
}

/**
 * Facts about a session that decide whether a plan should extract a value that differs between the
 * recorded and the live response.
 */
export interface PairEvidence {
  /** Collection in the URL of the call, such as `presets` for `POST /api/presets`. */
  readonly collection: string;
  readonly recorded: ResponseSnapshot;
  readonly live: ResponseSnapshot;
  /**
   * Reports whether the plan sends the literal after this call, in a request or a WebSocket
   * message.
   */
  isSentLater(literal: LiteralValue): boolean;
  /**
   * Reports whether the request of this call or an earlier request sent the literal, which means
   * that it comes from the client.
   */
  isFromClient(literal: LiteralValue): boolean;
  /**
   * Called with each pair that is refused although the plan sends its recorded value later, and
   * with the reason.
   */
  refuse(pair: ValuePair, reason: string): void;
}

/**
 * Selects the pairs whose recorded value is sent by a later request and does not come from the
 * client. Returns the longest values first. Values that differ only in a part that is itself a
 * selected value, such as URLs with an id, come last.
 */
export function selectLearnable(
  pairs: readonly ValuePair[],
  evidence: PairEvidence,
): LearnablePair[] {
  const accepted: LearnablePair[] = [];
  const explained: LearnablePair[] = [];
  const byValue = Map.groupBy(withDecoded(pairs), ({ recorded, name }) =>
    // A weak value, such as a date or a short number, counts as a different value under each name.
    isWeak(recorded) ? `${recorded}\0${name}` : recorded);
  const groups = [...byValue.values()].sort((a, b) => a[0].recorded.length - b[0].recorded.length);
  const shorter = new KnownPairs();
  for (const group of groups) {
    const [{ recorded }] = group;
    const usable = group.flatMap((pair) => {
      const literal = literalOf(pair, evidence);
      return literal && evidence.isSentLater(literal) ? [{ pair, literal }] : [];
    });
    const kept = usable.filter(({ pair, literal }) => {
      const reason = refusal(pair, literal, evidence);
      if (reason !== undefined) evidence.refuse(pair, reason);
      return reason === undefined;
    });
    if (kept.length === 0) continue;
    const { live } = kept[0].pair;
    const isExplained = shorter.toLive(recorded) === live && sharesWord(recorded, live);
    for (const { pair } of kept) {
      if (pair.live !== live) evidence.refuse(pair, `in another place, the live value is ${live}`);
    }
    shorter.add(recorded, live);
    (isExplained ? explained : accepted).push({
      recorded,
      live,
      pairs: kept.filter(({ pair }) => pair.live === live).map(({ pair }) => pair),
      literal: kept[0].literal,
    });
  }
  return [...accepted.reverse(), ...explained];
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

/** Adds the percent-decoded form of each pair, because requests may send it. */
function withDecoded(pairs: readonly ValuePair[]): ValuePair[] {
  return pairs.flatMap((pair) => {
    if (!pair.recorded.includes("%")) return [pair];
    try {
      const [recorded, live] = [pair.recorded, pair.live].map(decodeURIComponent);
      if (recorded === pair.recorded) return [pair];
      const [at, liveAt] = [decoded(pair.at, recorded), decoded(pair.liveAt, live)];
      return [pair, { ...pair, recorded, live, at, liveAt }];
    } catch {
      return [pair];
    }
  });
}

function decoded(from: Occurrence, text: string): Occurrence {
  const place = { kind: "decoded", from, transform: "url_decode" } as const;
  return { view: { ...from.view, text, place }, start: 0, end: text.length };
}

const SHORT = /^(?:\d{1,3}|.{1,3})$/su;
const PLAIN_WORD = /^[A-Za-z]?[a-z]*$|^[A-Z]+$/;
const LONGEST_WORD = 16;

/** Matches a date. Dates are not distinctive: users type them, and documents contain them. */
const DATE = /^\d{4}-\d\d-\d\d$/;

/**
 * Reports whether a value is not distinctive: a small number, a short string, a plain word or a
 * date.
 */
export function isWeak(value: string): boolean {
  return SHORT.test(value) || DATE.test(value) ||
    (value.length <= LONGEST_WORD && PLAIN_WORD.test(value));
}

function literalOf(pair: ValuePair, evidence: PairEvidence): LiteralValue | undefined {
  const { recorded } = pair;
  if (!/[\p{L}\p{N}]/u.test(recorded)) return undefined;
  if (!isWeak(recorded)) return { value: recorded, agrees: undefined };
  const words = new Set(namesOf(pair, evidence.collection).flatMap(stems));
  const isId = isResourceId(pair, evidence.recorded);
  return {
    value: recorded,
    agrees: (text: RequestText) => {
      if (pair.name !== "" && text.name.toLowerCase() === pair.name.toLowerCase()) return true;
      if (!isId) return false;
      const named = stems(text.name);
      if (named.length === 0) {
        return isIdName(text.name) && stems(text.resource).some((stem) => words.has(stem));
      }
      return (text.kind === "path" || isIdName(text.name)) && named.some((stem) => words.has(stem));
    },
  };
}

/**
 * Reports whether a value may be the id of a resource, judging by its name and its place in the
 * response.
 */
function isResourceId(pair: ValuePair, { view }: ResponseSnapshot): boolean {
  const { name, at } = pair;
  const offset = offsetOf(pair);
  if (offset !== undefined) return isIdName(name) || view.text[offset - 1] === "/";
  return isIdName(name) || name === "" || at.view.place.kind === "header";
}

function namesOf(pair: ValuePair, collection: string): string[] {
  const path = pathOf(pair)?.filter((step) => typeof step === "string") ?? [];
  return [pair.name, collection, ...path];
}

const ID_WORDS = new Set(["id", "ids", "uuid", "guid", "key", "no", "number", "nr"]);

function isIdName(name: string): boolean {
  const last = nameWords(name).at(-1) ?? "";
  return ID_WORDS.has(last) || /[a-z]{2}id$/.test(last);
}

/**
 * Returns the words of a name, without id suffixes and plural endings, such as `order` for `orders`
 * and `orderId`.
 */
export function stems(name: string): string[] {
  return nameWords(name).map((word) => word.replace(/(?<=[a-z]{3})(?:ids?|s)$/, ""))
    .filter((word) => word.length > 1 && !ID_WORDS.has(word));
}

function refusal(
  pair: ValuePair,
  literal: LiteralValue,
  evidence: PairEvidence,
): string | undefined {
  if (evidence.isFromClient(literal)) {
    return "a request sent the value before any response contained it";
  }
  if (!pair.mayMove) return undefined;
  return isMoved(pair, evidence) ? "the live response also contains the recorded value" : undefined;
}

/**
 * Length, in UTF-16 code units, of the text directly before a value that is not distinctive. The
 * value counts as moved only if this text precedes it in both responses.
 */
const CONTEXT = 12;

/**
 * Reports whether the live response also contains the recorded value, which means that the value
 * only moved.
 */
function isMoved(
  pair: ValuePair,
  evidence: Pick<PairEvidence, "recorded" | "live">,
): boolean {
  const { recorded, name } = pair;
  const { text } = evidence.live.view;
  if (!text.includes(recorded)) return false;
  if (!isWeak(recorded)) return boundedOffsets(text, recorded).length > 0;
  const at = offsetOf(pair);
  if (at !== undefined) {
    const context = evidence.recorded.view.text.slice(Math.max(0, at - CONTEXT), at);
    return boundedOffsets(text, context + recorded).length > 0;
  }
  let found = false;
  JSON.stringify(evidence.live.view.json, (key, value) => {
    if ((key === name || name === "") && leafText(value) === recorded) found = true;
    return value;
  });
  return found;
}

/**
 * Returns the last segment of a URL's path that is a word, such as `presets`, or an empty string.
 */
export function collectionOf(url: string): string {
  const segments = URL.parse(url)?.pathname.split("/") ?? [];
  return segments.findLast((segment) => /^[A-Za-z][\w-]*$/.test(segment)) ?? "";
}

/**
 * Reports whether the value is too generic to be recognized without its name, such as a small
 * number or a plain word.
 */
export function needsName({ literal }: LearnablePair): boolean {
  return literal.agrees !== undefined;
}
