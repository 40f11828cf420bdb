import { nameWords } from "../../traffic/session/dynamic_value.ts";

/**
 * Words that, at the end of a field name, show that the value identifies something, even if the
 * value is short.
 */
const IDENTIFYING = new Set([
  ...["id", "ids", "key", "keys", "pk", "no", "nr", "num", "number", "code", "uuid", "guid", "oid"],
  ...["ref", "rev", "revision", "version", "slug", "sid", "token", "cursor", "seq", "handle"],
]);
/**
 * Matches a single word with the suffix `id`, such as `userid` or `fid`, but not a word such as
 * `valid` or `bid`.
 */
const COMPOUND =
  /^(?:[ce-gi-jn-qs-z]|[a-z]{3,}(?<!pa|vo|val|sol|flu|liqu|gr|hybr|rig|rap|cand|hum|pyram|viv|andro))ids?$/;
/** Words that do not indicate the kind of an object. */
const GENERIC = new Set(
  ("api graphql rest rpc json index php data input variables params node nodes edges edge " +
    "item items result results value values list body payload form content attributes admin " +
    "new edit create get update delete add save remove selected current parent all my v")
    .split(" "),
);

/** What the name of a field shows about the value of the field. */
export interface IdName {
  /** True if values of fields with this name identify something. */
  readonly isId: boolean;
  /**
   * Kind of the object that the value identifies, as one lower-case singular word, or an empty
   * string if unknown.
   */
  readonly kind: string;
}

/** Generic words that serve as the kind of an id if they are the path segment before the id. */
const COLLECTIONS = new Set(["node", "nodes", "item", "items", "content", "value", "values"]);
/** Names of counts, positions and messages. A short number in such a field is never an id. */
const COUNTS = new Set(
  ("page pages paged limit offset size count per total max min step version sort order orderby row " +
    "rows start end from to width height level depth quantity qty amount price index position rank " +
    "score age year month day tab mode view lang message msg status error notice updated saved")
    .split(" "),
);

/** Maximum number of entries in each cache. */
const MOST_CACHED = 100_000;
const names = new Map<string, IdName>();
const kinds = new Map<string, string>();

/** Reads the name of a field, such as `productId` (kind `product`) or `id` (unknown kind). */
export function readIdName(name: string): IdName {
  return cached(names, name, readName);
}

function readName(name: string): IdName {
  const words = nameWords(name);
  const last = words.at(-1) ?? "";
  const compound = COMPOUND.test(last) ? last.replace(/ids?$/, "") : undefined;
  const isId = IDENTIFYING.has(last) || compound !== undefined;
  const rest = compound === undefined ? words.filter((word) => !IDENTIFYING.has(word)) : [compound];
  return { isId, kind: objectKind(rest.join(" ")) };
}

/**
 * Returns the kind of object that a string names: its last non-generic word, in the singular. For
 * example, `product` for `createProducts`. Returns an empty string if there is no such word.
 */
export function objectKind(text: string): string {
  return text === "" ? "" : cached(kinds, text, lastKind);
}

/**
 * Returns the kind of object that a path segment names, if an id follows the segment. The kind
 * starts with `/` if the word is so generic that it only names the place. Returns an empty string
 * if there is no such word.
 */
export function collectionKind(segment: string): string {
  return objectKind(segment) || (COLLECTIONS.has(segment) ? `/${segment}` : "");
}

/**
 * Returns the kind of object that the last of some path segments names, if an id follows it.
 * Skips generic words, as in `orders/edit`. Returns an empty string if there is no such segment.
 */
export function pathKind(segments: readonly string[]): string {
  const last = segments.findLast((segment) =>
    collectionKind(segment) !== "" || !/^[a-z]+$/i.test(segment)
  );
  return last === undefined ? "" : collectionKind(last);
}

/**
 * Returns the kind that ids in a parameter have if their kind of object is unknown: `?`, followed
 * by the name of the parameter in lower case.
 */
export function parameterKind(name: string): string {
  return `?${name.toLowerCase()}`;
}

/** Reports whether a kind names a place in URLs rather than an object. */
export function isPlaceKind(kind: string): boolean {
  return kind.startsWith("/") || kind.startsWith("?");
}

/** Reports whether the values of a field are counts or positions, such as `page` or `max_price`. */
export function isCountName(name: string): boolean {
  return nameWords(name).some((word) => COUNTS.has(word));
}

function lastKind(text: string): string {
  const word = nameWords(text).findLast((one) => /^[a-z]{2,}$/.test(one) && !GENERIC.has(one));
  if (word === undefined) return "";
  if (/(?:[^aeiou])ies$/.test(word)) return word.slice(0, -3) + "y";
  if (/(?:ss|sh|ch|x)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

/** Returns `compute(text)`, or its cached result. */
function cached<Result>(
  results: Map<string, Result>,
  text: string,
  compute: (text: string) => Result,
): Result {
  let result = results.get(text);
  if (result === undefined) {
    result = compute(text);
    if (results.size < MOST_CACHED) results.set(text, result);
  }
  return result;
}
