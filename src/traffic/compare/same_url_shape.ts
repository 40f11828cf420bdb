import { urlShape } from "./value_free_text.ts";

/** Matches a path segment that may be a random id in base64url, such as an id from nanoid. */
const ID = /^[\w-]{8,}$/;
/** Matches letters between digits, or digits between letters. */
const ALTERNATING = /\d[A-Za-z]+\d|[A-Za-z]\d+[A-Za-z]/;
/** Matches the parts of a name such as `create_accountForm2`. */
const PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/**
 * Reports whether a live URL has the shape of the recorded one (see `urlShape`). Two different path
 * segments also match if they have the same position and length and do not consist of words. They
 * are probably random ids that `urlShape` does not recognize, because they consist of letters only
 * or contain a word by chance.
 */
export function haveSameShape(recorded: string, live: string): boolean {
  if (urlShape(recorded) === urlShape(live)) return true;
  const [url, liveUrl] = [recorded, live].map((text) => URL.parse(text, "http://base.invalid/"));
  if (url === null || liveUrl === null) return false;
  const segments = url.pathname.split("/");
  const liveSegments = liveUrl.pathname.split("/");
  if (segments.length !== liveSegments.length) return false;
  const withoutIds = segments.map((segment, i) => areIds(segment, liveSegments[i]) ? "0" : segment);
  const liveWithoutIds = liveSegments.map((segment, i) =>
    areIds(segments[i], segment) ? "0" : segment
  );
  const rest = ({ search, hash }: URL, path: readonly string[]) =>
    urlShape(path.join("/") + search + hash);
  return rest(url, withoutIds) === rest(liveUrl, liveWithoutIds);
}

function areIds(segment: string, other: string): boolean {
  return segment.length === other.length && isId(segment) && isId(other);
}

function isId(segment: string): boolean {
  if (!ID.test(segment)) return false;
  return ALTERNATING.test(segment) || !(segment.match(PARTS) ?? []).every(isWordOrNumber);
}

/** Reports whether part of a name could be a word, an abbreviation or a number. */
function isWordOrNumber(part: string): boolean {
  if (/^\d+$/.test(part)) return true;
  if (part.length === 1 || /[^aeiouy]{4}/i.test(part)) return false;
  return /[aeiouy]/i.test(part) || (part.length > 2 && !/[A-Z][a-z]/.test(part));
}
