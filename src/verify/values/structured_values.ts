/**
 * Kind of text that consists of several runs of letters and digits. `fixed` text is never
 * regenerated: a date without a time, or the scheme and host of a URL.
 */
export type StructuredKind = "uuid" | "jwt" | "timestamp" | "fixed";

/** An occurrence, in text, of a value that consists of several runs of letters and digits. */
export interface Structured {
  readonly kind: StructuredKind;
  readonly end: number;
  /** The value without percent-encoding. */
  readonly value: string;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-z])/iy;
const JWT = /eyJ[\w-]{5,}\.[\w-]{4,}\.[\w-]*/y;
const ISO =
  /\d{4}-\d\d-\d\d(?:[T .]|%20|\+)\d\d(?::|%3A)\d\d(?:(?::|%3A)\d\d(?:[.,]\d{1,9})?)?(?:Z|(?:[+-]|%2B)\d\d(?::|%3A)?\d\d)?(?![0-9])/iy;
const DATE = /\d{4}-\d\d-\d\d(?![0-9])/y;
/**
 * Matches the scheme, the host and any port of a URL. Also matches percent-encoded delimiters and
 * escaped slashes.
 */
const URL_ORIGIN = /https?(?::|%3A)(?:\\*\/|%2F){2}[\w.~-]+(?:(?::|%3A)\d+)?/iy;
const HTTP_DATE =
  /(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d[ -][A-Z][a-z]{2}[ -]\d{4} \d\d:\d\d:\d\d GMT/y;

const DASH = 0x2d;

/**
 * Returns the UUID, JWT, timestamp, date or URL origin that starts with the run of letters and
 * digits at `text[start, end)`. Returns undefined if no such value starts there.
 */
export function structuredAt(text: string, start: number, end: number): Structured | undefined {
  const size = end - start;
  if (size === 8 && text.charCodeAt(end) === DASH) return match(UUID, "uuid", text, start);
  if (size === 4 && text.charCodeAt(end) === DASH) {
    return match(ISO, "timestamp", text, start) ?? match(DATE, "fixed", text, start);
  }
  if (size <= 5 && text.startsWith("http", start)) return match(URL_ORIGIN, "fixed", text, start);
  if (size === 3) return match(HTTP_DATE, "timestamp", text, start);
  return size > 8 && text.startsWith("eyJ", start) ? match(JWT, "jwt", text, start) : undefined;
}

function match(
  pattern: RegExp,
  kind: StructuredKind,
  text: string,
  start: number,
): Structured | undefined {
  pattern.lastIndex = start;
  if (!pattern.test(text)) return undefined;
  const end = pattern.lastIndex;
  const written = text.slice(start, end);
  const value = written.includes("%")
    ? written.replace(/%20/g, " ").replace(/%3A/gi, ":").replace(/%2B/gi, "+")
    : written;
  return { kind, end, value };
}
