import { urlShape } from "./value_free_text.ts";

/** Matches a path segment that may be a random id in base64url, such as an id from nanoid. */
const ID = /^[\w-]{8,}$/;
/** Matches letters between digits, or digits between letters. */
const ALTERNATING = /\d[A-Za-z]+\d|[A-Za-z]\d+[A-Za-z]/;
/** Matches the parts of a name such as `create_accountForm2`. */
const PARTS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g;

/**
 * Reports whether a live URL has the shape of the recorded one (see `urlShape`). Also accepts random
 * ids that `urlShape` does not recognize, because they consist of letters only or contain a word by
 * chance: path segments of the same length at the same position that do not consist of words.
 */
export function haveSameShape(recorded: string, live: string): boolean {
  const [shape, liveShape] = [recorded, live].map(urlShape);
  if (shape === liveShape) return true;
  const [segments, liveSegments] = [recorded, live].map(pathSegments);
  if (segments.length !== liveSegments.length) return false;
  // Replaces the ids, and then compares the shapes of the rest.
  const isId = segments.map((segment, i) => areIds(segment, liveSegments[i]));
  const rest = (url: string, path: readonly string[]) =>
    urlShape(path.map((segment, i) => isId[i] ? "0" : segment).join("/") + afterPath(url));
  return isId.includes(true) && rest(recorded, segments) === rest(live, liveSegments);
}

function pathSegments(url: string): string[] {
  return URL.parse(url, "http://base.invalid/")?.pathname.split("/") ?? [];
}

function afterPath(url: string): string {
  const parsed = URL.parse(url, "http://base.invalid/");
  return parsed === null ? "" : parsed.search + parsed.hash;
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
