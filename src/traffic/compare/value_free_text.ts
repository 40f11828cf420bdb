const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi;
/** Matches a path segment that may be a random id in base64url, such as an id from nanoid. */
const ID = /^[\w-]{10,}$/;
const WITH_DIGIT = /[\p{L}\p{M}]*\d[\p{L}\p{M}\d]*/gu;
/**
 * Matches letters that are probably random, because an upper-case letter follows a lower-case one
 * at least three times.
 */
const MIXED_CASE = /(?:[a-z]+[A-Z]+){3,}[A-Za-z]*/g;
const JOINED = /#(?:[-_.+~%=:#]+#)*/g;

/**
 * Returns `text` with `#` in place of everything that a server could have generated: words with
 * digits, UUIDs and random letters. Two strings that differ only in such values yield the same
 * result.
 */
export function withoutValues(text: string): string {
  return text.replace(UUID, "#").replace(WITH_DIGIT, "#").replace(
    MIXED_CASE,
    "#",
  )
    .replace(JOINED, "#");
}

/**
 * Returns the shape of a URL or path: its path without values, and the sorted names of its query
 * and fragment parameters. Ignores scheme, host and port, which differ between the recording and
 * the target.
 */
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

/**
 * Returns a path segment with `#` in place of everything that a server could have generated.
 * Removes the values of its path parameters, and a number at its end that only makes it unique,
 * such as `-2` in `photo-2`.
 */
function segmentShape(segment: string): string {
  const [plain, ...parameters] = segment.split(";");
  const text = withoutValues(plain);
  const isValue = isRandomId(plain) || (text.includes("#") && !plain.split(/[-_.~]/).some(isWord));
  const shape = isValue ? "#" : text.replace(/(?<=[^#])[-_.~]#$/, "");
  return [shape, ...parameters.map((one) => one.replace(/=.*/s, ""))].join(";");
}

function isWord(part: string): boolean {
  return /^(?:[A-Za-z]?[a-z]{2,}|[A-Z]{3,})$/.test(part);
}

/**
 * Reports whether a path segment is probably a random id, because the letter case changes within
 * words.
 */
function isRandomId(segment: string): boolean {
  if (!ID.test(segment)) return false;
  const changes = segment.match(/[a-z][A-Z]/g)?.length ?? 0;
  const ends = segment.match(/[A-Z]{2}(?=[a-z])/g)?.length ?? 0;
  return changes + (/\d/.test(segment) ? 1 : 0) >= 2 || (changes > 0 && changes + ends >= 3);
}
