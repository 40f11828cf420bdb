import {
  isShortNumber,
  isWordy,
  looksGenerated,
  nameHint,
  nameWords,
} from "../../traffic/session/dynamic_value.ts";
import { Base64Field } from "../../traffic/session/base64_text.ts";
import { headersIn, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { pathOf } from "./link_search.ts";
import { consumerWords, contextWords, nameBefore, producerWords } from "./place_words.ts";
import { commonShare, haveCommonWord, isTemporal, resourceWords } from "./resource_names.ts";
import { isRpcId } from "./rpc_ids.ts";
import type { OptionalSource } from "./sources/source_kinds.ts";
import type { Candidate } from "./sources/source_search.ts";
import type { Usage } from "./usages.ts";

/**
 * Reason why a request keeps the recorded value although a variable has the same value. `after a
 * dollar`: the value directly follows a `$`, and `$${…}` is an escape. `encoded`: the request
 * contains the value percent-encoded in a URL, or within base64.
 */
export type Obstacle = "after a dollar" | "encoded";

/**
 * Effect of a variable on an occurrence of its value in a request. `replaced`: the plan sends the
 * variable. An `Obstacle`: the plan sends the recorded value for that reason. `coincidence`: the
 * value is not distinctive, and names and collections do not show that the request takes it from
 * the response. `earlier`: the request was sent before the response had ended.
 */
export type Effect = "replaced" | Obstacle | "coincidence" | "earlier";

/**
 * Tolerance in ms when comparing the start of a request with the end of a response. Recorders
 * truncate start times, but not durations, to whole milliseconds.
 */
const CLOCK_STEP_MS = 1;

/**
 * Returns how the candidate's variable affects one occurrence of its value in a request (`usage`).
 * These rules apply:
 *
 * - The default option of a `<select>` is replaced only in a field of the same name.
 * - A number in the name of a form field is replaced only in names with the same text before it.
 * - A number with a neighbour is replaced only in base64 that also contains the neighbour.
 * - A short id in the result of a JSON-RPC request is replaced only in JSON-RPC requests that send
 *   it as an id of the same resource.
 * - Within a longer text, a number of fewer than five digits is replaced only if the name of its
 *   field in the response suggests an id.
 * - Elsewhere, a number of fewer than four digits, or a word in a link, is replaced only if the
 *   field names or collections in the response and the request match.
 * - A number that could be the time of the response is replaced only if both fields have the same
 *   name or names that suggest a time.
 * - A short id in quotes is replaced only in requests before the next response that contains it.
 * - The request must have been sent after the candidate's response had ended, with a tolerance of 1
 *   ms.
 * - An occurrence that directly follows a `$` is not replaced, because `$${…}` is an escape.
 * - An occurrence of a value from a JSON body that is percent-encoded or within base64 is replaced
 *   only if `sources` contains `encoded`.
 */
export function effectOn(
  usage: Usage,
  candidate: Candidate,
  sources: ReadonlySet<OptionalSource>,
): Effect {
  const { call, field, start, end } = usage;
  const { producer } = candidate;
  const inBase64 = field instanceof Base64Field;
  if (isCoincidence(usage, candidate)) return "coincidence";
  if (!isAfter(call, producer)) return "earlier";
  const { recorded } = inBase64 ? field.outer : field;
  const [from] = inBase64
    ? field.outer.recordedRange(field.start, field.end)
    : field.recordedRange(start, end);
  if (from > 0 && recorded[from - 1] === "$") return "after a dollar";
  const isAnyEncoding = candidate.source !== "json" || sources.has("encoded");
  const isOther = inBase64 || field.kind !== "form" && isEncoded(usage);
  return !isAnyEncoding && isOther ? "encoded" : "replaced";
}

/**
 * Reports whether a call was sent after the response to `producer` had ended, with a tolerance of 1
 * ms.
 */
export function isAfter(call: RecordedCall, producer: RecordedCall): boolean {
  return call.order > producer.order && call.startedAt + CLOCK_STEP_MS >= producer.endedAt;
}

/**
 * Minimum number of digits of a number that is replaced within a longer text. Shorter numbers are
 * replaced there only if the name of their field in the response suggests an id.
 */
const LONG_NUMBER = 5;

function isCoincidence(usage: Usage, candidate: Candidate): boolean {
  const { value, by, key, producer, replacedBy } = candidate;
  if (by === "option") return nameOf(usage) !== key;
  if (by === "field name") return usage.field.kind !== "name" || nameOf(usage) !== key;
  if (by === "neighbour") return !isWithNeighbour(usage, candidate);
  if (by === "rpc") return !isRpcId(usage, candidate);
  if (by === "quoted") return replacedBy !== undefined && isAfter(usage.call, replacedBy);
  if (usage.inCompound) {
    return value.length < LONG_NUMBER && /^\d+$/.test(value) && !nameHint(key).idLike;
  }
  if (isShortNumber(value) || (by === "link" && !looksGenerated(value))) {
    return agreement(usage, candidate) === 0;
  }
  return (by === "number" || by === "use" || by === "argument") && isClockLike(value, producer) &&
    !hasSameName(key, nameOf(usage)) && !(isTemporal(key) && isTemporal(nameOf(usage)));
}

/**
 * Reports whether a number is a part of text in base64, and its neighbour in the response is another
 * part.
 */
function isWithNeighbour({ field, fills }: Usage, { neighbour }: Candidate): boolean {
  return fills === "part" && field instanceof Base64Field &&
    field.parts().some(({ start, end }) => field.value.slice(start, end) === neighbour);
}

/**
 * Returns a score of how well the location of a value in a response matches its location in a
 * request:
 * - 4 if the request sends the value in the same base64 as its neighbour in the response, or if it
 *   sends the value as an id of the resource that a JSON-RPC method created.
 * - 3 if both have the same specific name, such as `revId`, and the value comes from a form on the
 *   page that the request's `Referer` names.
 * - 2 if both have the same specific name, and the value comes from a form on another page.
 * - 1 if both have the same specific name and the value does not come from a form, if both are in
 *   the same collection, or if both names suggest a version.
 * - 0 if a script passes the value to a method, and the name in the request does not suggest an id.
 * - Otherwise, the `commonShare` of the words that name the resources of the two locations.
 * - If no words match, and a script passes the value to a method: a low score if the request sends
 *   the value under an abbreviated name, such as `cid` for a contact, to the same resource.
 * - Otherwise 0.
 */
export function agreement(usage: Usage, candidate: Candidate): number {
  const { by, collection, key, source } = candidate;
  if (by === "neighbour" || by === "rpc") return 4;
  const name = nameOf(usage);
  const { idLike, stamp } = nameHint(name);
  const isSpecific = by === "option" || resourceWords(key).length > 0 && (idLike || stamp);
  if (isSpecific && hasSameName(key, name)) {
    if (source !== "html") return 1;
    return candidate.producer.exchange.request.url === refererOf(usage) ? 3 : 2;
  }
  if (by === "argument" && !idLike && usage.field.kind !== "path" && !usage.part?.inPath) return 0;
  if (by === "link" && nameBefore(usage) === collection) return 1;
  if (stamp && nameHint(key).stamp) return 1;
  const words = producerWords(candidate);
  if (haveCommonWord(words, consumerWords(usage))) return commonShare(words, contextWords(usage));
  return by === "argument" && isAbbreviatedId(name, key) && isSameResource(usage, candidate)
    ? LOW_SCORE
    : 0;
}

/** Score below every share of common words. */
const LOW_SCORE = 1e-6;

/**
 * Reports whether the name of a field is `id`, `uid`, or `id` after the first letter of a word in
 * `key`, such as `_cid` if `key` is `contact_id`.
 */
function isAbbreviatedId(name: string, key: string): boolean {
  const [word, ...others] = nameWords(name);
  if (others.length > 0 || !/^[a-z]?id$/.test(word)) return false;
  return word === "id" || word === "uid" ||
    resourceWords(key).some((object) => object.startsWith(word[0]));
}

/**
 * Reports whether a request and the response with the candidate belong to the same resource, because
 * their URLs have the same path and at least one parameter in common whose value is a word.
 */
function isSameResource({ call }: Usage, { producer }: Candidate): boolean {
  if (pathOf(call) !== pathOf(producer)) return false;
  const parameters = new Set(wordParameters(producer));
  return wordParameters(call).some((parameter) => parameters.has(parameter));
}

function wordParameters({ url }: RecordedCall): string[] {
  return url.query.flatMap((piece) =>
    typeof piece !== "string" && piece.kind === "query" && /^[A-Za-z]{3,}$/.test(piece.value)
      ? [`${piece.name}=${piece.value}`]
      : []
  );
}

function refererOf({ call }: Usage): string | undefined {
  return headersIn(call).find(({ name }) => name.toLowerCase() === "referer")?.value;
}

/**
 * Returns the name of the field, or of the part of the field, that contains an occurrence of a
 * value.
 */
export function nameOf({ field, part }: Usage): string {
  return part?.name ?? field.name;
}

/** Reports whether two field names are equal, ignoring case and punctuation. */
export function hasSameName(a: string, b: string): boolean {
  const bare = (name: string) => name.toLowerCase().replace(/[^a-z0-9\u0080-\uffff]/g, "");
  return bare(a) === bare(b);
}

/** Reports whether the request contains the value percent-encoded. */
export function isEncoded({ value, field, start, end }: Usage): boolean {
  return field.recorded !== field.value &&
    field.recorded.slice(...field.recordedRange(start, end)) !== value;
}

/** Reports whether an effect is a reason to keep the recorded value. */
export function isObstacle(effect: Effect): effect is Obstacle {
  return effect === "after a dollar" || effect === "encoded";
}

const DAY_MS = 86_400_000;
/**
 * Maximum difference between a number that looks like a timestamp and the time of the response that
 * contains it, in milliseconds.
 */
const NEAR_MS = 2 * DAY_MS;
const CLOCK = /^\d{10}(?:\d{3}){0,3}$/;

/**
 * Reports whether a value is a Unix time in seconds, milliseconds, microseconds or nanoseconds that
 * is within two days of the response's `Date` or of the recorded start of its request.
 */
function isClockLike(value: string, { exchange }: Pick<RecordedCall, "exchange">): boolean {
  if (!CLOCK.test(value)) return false;
  const milliseconds = Number(value) / 10 ** (value.length - 13);
  const date = exchange.response.headers.find(({ name }) => name.toLowerCase() === "date")?.value;
  const times = [Date.parse(date ?? ""), exchange.startedAt];
  return times.some((time) => Math.abs(milliseconds - time) <= NEAR_MS);
}

/**
 * Reports whether a value is a constant that the client only echoes, such as a client id, or the id
 * of a form or of the focused element. Such a value consists of words, and requests send it only
 * under the name that it has in the response. Unless the value comes from a page, `isRepeated` must
 * also be true, which means that several responses contain it. A token or a short generated id in
 * quotes is never a constant.
 */
export function isEchoedConstant(
  { value, key, source, by }: Candidate,
  usages: readonly Usage[],
  isRepeated: boolean,
): boolean {
  return by !== "quoted" && isWordy(value) && (isRepeated || source === "html") &&
    !nameHint(key).token &&
    usages.every((usage) => {
      const { field, part } = usage;
      if (field.kind === "path" || part?.inPath) return false;
      return (part !== undefined || field.kind !== "header") && hasSameName(key, nameOf(usage));
    });
}
