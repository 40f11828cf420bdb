import { UUID } from "../base/random.ts";
import { chunkSkeleton, withoutValues } from "../comparison/align_text.ts";
import { looksGenerated } from "../traffic/session/dynamic_value.ts";

/** Matches words in dates and times: weekdays, months, `AM`, `PM`, `UTC` and `GMT`. */
const DATE_WORD =
  /\b(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|AM|PM|UTC|GMT)\b/gi;
/** Matches times relative to now, in text whose numbers have been replaced with `#`. */
const RELATIVE_TIME =
  /\b(?:just now|moments? ago|today|yesterday|tomorrow)\b|(?:\b(?:about|over|almost|less than|in)\s+){0,3}(?:#|\ban?\b)\s*(?:milli|micro)?(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|ms|s|m|h|d)\b(?:\s+ago\b)?/gi;
const PLURAL = /(?<=# \p{L}{2,})s\b/gu;
const JOINED = /#(?:[\s\-_.,:;/~%=+()]*#)+/g;

const WORD = /[A-Za-z0-9]{5,}/g;
const CONSONANTS = /[bcdfghjklmnpqrstvwxz]{6}/i;
/** Matches text that may be base64. Also matches paths and long words. */
const BASE64 = /[\w+/-]{16,}={0,2}/g;
/** Matches a letter or digit after one of another kind, as often in base64 and rarely in words. */
const CHANGE = /(?<=[a-z])[A-Z\d]|(?<=[A-Z])[a-z\d]|(?<=\d)[A-Za-z]/g;

/** Returns text with `#` in place of numbers, ids, tokens, dates and times. */
export function contentShape(text: string): string {
  const shape = text.replace(BASE64, (found) => isBase64(found) ? "#" : found)
    .replace(WORD, (word) => isGenerated(word) ? "#" : word);
  return chunkSkeleton(shape).replace(DATE_WORD, "#").replace(RELATIVE_TIME, "#")
    .replace(JOINED, "#").replace(PLURAL, "").replace(/\s+/g, " ").trim();
}

function isGenerated(word: string): boolean {
  return looksGenerated(word) || (word.length >= 10 && CONSONANTS.test(word));
}

function isBase64(text: string): boolean {
  if (text.endsWith("=")) return true;
  const changes = text.match(CHANGE)?.length ?? 0;
  return /\d/.test(text) && changes * 20 >= text.length * 7;
}

/** Matches a path segment that may be a random id in base64url, such as an id from nanoid. */
const LONG_ID = /^[\w-]{10,}$/;
/** Matches a segment that may be such an id, if the recorded and the live one have its length. */
const ID = /^[\w-]{8,}$/;
const ALTERNATING = /\d[A-Za-z]+\d|[A-Za-z]\d+[A-Za-z]/;
/** Matches a name with an inner number, such as `oauth2callback`. */
const NUMBERED = /^([A-Za-z]{2,})\d{1,2}([A-Za-z]{3,})$/;
const PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/**
 * Reports whether URLs have the same `urlShape`, apart from path segments of the same length that
 * are probably random ids. Names such as `step1confirm` and `step2rejected` differ.
 */
export function haveSameShape(recorded: string, live: string): boolean {
  const isEqual = urlShape(recorded) === urlShape(live);
  if (isEqual && !/[A-Za-z]\d{1,2}[A-Za-z]/.test(recorded)) return true;
  const [url, liveUrl] = [recorded, live].map((text) => URL.parse(text, "http://base.invalid/"));
  if (url === null || liveUrl === null) return isEqual;
  const segments = url.pathname.split("/");
  const liveSegments = liveUrl.pathname.split("/");
  if (segments.length !== liveSegments.length) return isEqual;
  if (segments.some((segment, i) => areOtherNames(segment, liveSegments[i]))) return false;
  if (isEqual) return true;
  const withoutIds = segments.map((segment, i) => areIds(segment, liveSegments[i]) ? "0" : segment);
  const liveWithoutIds = liveSegments.map((segment, i) =>
    areIds(segments[i], segment) ? "0" : segment
  );
  const rest = ({ search, hash }: URL, path: readonly string[]) =>
    urlShape(path.join("/") + search + hash);
  return rest(url, withoutIds) === rest(liveUrl, liveWithoutIds);
}

function areOtherNames(segment: string, other: string): boolean {
  const [names, others] = [segment, other].map((name) => NUMBERED.exec(name));
  return names !== null && others !== null && names[1] === others[1] && names[2] !== others[2] &&
    isWordOrNumber(names[2]) && isWordOrNumber(others[2]);
}

function areIds(segment: string, other: string): boolean {
  return segment.length === other.length && isId(segment) && isId(other);
}

function isId(segment: string): boolean {
  if (!ID.test(segment)) return false;
  return ALTERNATING.test(segment) || !(segment.match(PARTS) ?? []).every(isWordOrNumber);
}

function isWordOrNumber(part: string): boolean {
  if (/^\d+$/.test(part)) return true;
  if (part.length === 1 || /[^aeiouy]{4}/i.test(part)) return false;
  return /[aeiouy]/i.test(part) || (part.length > 2 && !/[A-Z][a-z]/.test(part));
}

/** Returns the path of a URL without values, and the sorted names of its parameters. */
export function urlShape(url: string): string {
  const parsed = URL.parse(url, "http://base.invalid/");
  if (parsed === null) return withoutValues(url);
  const path = parsed.pathname.split("/").map(segmentShape).join("/");
  const fragment = parsed.hash.includes("=") ? new URLSearchParams(parsed.hash.slice(1)) : [];
  const names = (params: Iterable<[string, string]>) =>
    [...new Set(Array.from(params, ([name]) => withoutValues(name)))].sort().join("&");
  const query = names(parsed.searchParams);
  const after = names(fragment);
  return path + (query && `?${query}`) + (after && `#${after}`);
}

/** Removes path parameters' values, and a number that makes a name unique, as in `photo-2`. */
function segmentShape(segment: string): string {
  const [plain, ...parameters] = segment.split(";");
  const text = withoutValues(plain);
  const words = plain.replace(UUIDS, "#").split(/[-_.~]/);
  const isValue = isRandomId(plain) || (text.includes("#") && !words.some(isWord));
  const shape = isValue ? "#" : text.replace(/(?<=[^#])[-_.~]#$/, "");
  return [shape, ...parameters.map((parameter) => parameter.replace(/=.*/s, ""))].join(";");
}

/** The parts of a UUID may be words, such as `fade`. */
const UUIDS = new RegExp(UUID, "g");

function isWord(part: string): boolean {
  return /^(?:[A-Za-z]?[a-z]{2,}|[A-Z]{3,})$/.test(part);
}

function isRandomId(segment: string): boolean {
  if (!LONG_ID.test(segment)) return false;
  const changes = segment.match(/[a-z][A-Z]/g)?.length ?? 0;
  const ends = segment.match(/[A-Z]{2}(?=[a-z])/g)?.length ?? 0;
  return changes + (/\d/.test(segment) ? 1 : 0) >= 2 || (changes > 0 && changes + ends >= 3);
}
