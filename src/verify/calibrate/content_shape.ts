import { chunkSkeleton } from "../../correlation/align_text.ts";
import { generatedValues } from "../values/generated_values.ts";

/** Matches words in dates and times: weekdays, months, `AM`, `PM`, `UTC` and `GMT`. */
const DATE_WORD =
  /\b(?:(?:Mon|Tues?|Wed(?:nes)?|Thu(?:rs)?|Fri|Sat(?:ur)?|Sun)(?:day)?|Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?|AM|PM|UTC|GMT)\b/gi;
/** Matches times relative to now, in text whose numbers have been replaced with `#`. */
const RELATIVE_TIME =
  /\b(?:just now|moments? ago|today|yesterday|tomorrow)\b|(?:\b(?:about|over|almost|less than|in)\s+){0,3}(?:#|\ban?\b)\s*(?:milli|micro)?(?:seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|ms|s|m|h|d)\b(?:\s+ago\b)?/gi;
/** Matches the plural ending of a word after a number. */
const PLURAL = /(?<=# \p{L}{2,})s\b/gu;
const JOINED = /#(?:[\s\-_.,:;/~%=+()]*#)+/g;

/** Matches text that may be base64. Also matches paths and long words. */
const BASE64 = /[\w+/-]{16,}={0,2}/g;
/**
 * Matches a letter or digit that follows one of a different kind. This is frequent in base64 and
 * rare in words.
 */
const CHANGE = /(?<=[a-z])[A-Z\d]|(?<=[A-Z])[a-z\d]|(?<=\d)[A-Za-z]/g;

/**
 * Returns text with `#` in place of everything that may differ each time a server generates it:
 * numbers, ids, tokens, dates and times. Two strings with the same shape have the same content.
 */
export function contentShape(text: string): string {
  let shape = text.replace(BASE64, (found) => isBase64(found) ? "#" : found);
  for (const { value, kind } of generatedValues(text)) {
    if (kind !== "number") shape = shape.replaceAll(value, "#");
  }
  return chunkSkeleton(shape).replace(DATE_WORD, "#").replace(RELATIVE_TIME, "#")
    .replace(JOINED, "#").replace(PLURAL, "").replace(/\s+/g, " ").trim();
}

/** Reports whether text that matches `BASE64` is base64 rather than a path or words. */
function isBase64(text: string): boolean {
  if (text.endsWith("=")) return true;
  const changes = text.match(CHANGE)?.length ?? 0;
  return /\d/.test(text) && changes * 20 >= text.length * 7;
}

/** Reports whether a shape contains words. Generated values rarely contain any. */
export function hasWords(shape: string): boolean {
  return /\p{L}{2}/u.test(shape);
}

/** Reports whether two strings have the same content (see `contentShape`). */
export function sameContent(recorded: string, live: string): boolean {
  if (recorded === live) return true;
  const [shape, liveShape] = [contentShape(recorded), contentShape(live)];
  if (shape === liveShape) return true;
  // Some generated values, such as `deadbeef`, look like words.
  const isToken = /^[\w-]+$/.test(recorded) && /^[\w-]+$/.test(live);
  return isToken && recorded.length === live.length && !(hasWords(shape) && hasWords(liveShape));
}
