import { isShortNumber, nameWords } from "../traffic/session/dynamic_value.ts";

/** Words that name a format or an interface. A digit in a field of such a name is a switch. */
export const FORMATS = new Set("api rest v ajax json xml php html aspx asp jsp do".split(" "));
/** Words that do not name a resource, such as `id`, `data`, `edit` and `json`. */
const GENERIC = new Set([
  ...FORMATS,
  ...("id ids uuid uuids guid guids key number no pk ref index action " +
    "data result results values response payload attributes self href url uri new edit create add update change " +
    "delete remove save view show get the of for by to in on and me current next prev previous first last parent root child " +
    "source target related param params")
    .split(" "),
]);

/** Names of fields that contain counts. A short number in such a field is never an id. */
const COUNTS = new Set(
  ("page pages limit offset size count per total max min step version sort order rows row start end " +
    "width height level depth quantity qty amount price index position rank score age year month day")
    .split(" "),
);
/** Last words of names of fields that contain quantities, as in `item_count` and `clientX`. */
const QUANTITIES = new Set(
  "quantity qty count amount total price limit offset width height depth score age x y".split(" "),
);
const OBJECTS = new Set("item record row object".split(" "));
/** Words for collections of any kind in the path of an interface, before the name of one. */
const COLLECTIONS = new Set(
  "resource collection table model class type entity schema".split(" "),
);
/** Words for people, who may be users of the application. */
export const PEOPLE = new Set(
  ("user people person contact customer member employee agent assignee owner author creator " +
    "reporter responsible sender editor reviewer approver manager").split(" "),
);
/** Last words of names of fields that contain the number of a resource. */
const NUMBER_NAMES = new Set(["number", "num", "no", "nr", "iid"]);
const TEMPORAL = new Set(
  "time timestamp ts date since until after before from modified updated created changed expires version last etag"
    .split(" "),
);

/** Cache of `resourceWords`, because names and path segments often repeat in a recording. */
const wordsOfNames = new Map<string, readonly string[]>();

/** Returns the singular of each word in a name. Omits words that do not name a resource. */
export function resourceWords(name: string): readonly string[] {
  let words = wordsOfNames.get(name);
  if (words === undefined) {
    words = nameWords(name).filter((word) => /[a-z\u0080-\uffff]/.test(word) && !GENERIC.has(word))
      .map(singular);
    if (wordsOfNames.size < 100_000) wordsOfNames.set(name, words);
  }
  return words;
}

/** Reports whether the last word of a name does not name a resource. */
export function isGeneric(name: string): boolean {
  return GENERIC.has(nameWords(name).at(-1) ?? "");
}

/** Reports whether a field's name suggests the number of a resource, as `invoiceNo` does. */
export function isNumberName(name: string): boolean {
  return NUMBER_NAMES.has(nameWords(name).at(-1) ?? "");
}

/** Reports whether a field's name suggests a time, as `serverTime` and `since` do. */
export function isTemporal(name: string): boolean {
  return nameWords(name).some((word) => TEMPORAL.has(word));
}

/** Returns the English singular of a regular plural, or the word itself. */
export function singular(word: string): string {
  if (word.length < 4 || !word.endsWith("s") || /(?:ss|us|is)$/.test(word)) return word;
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`;
  return /(?:x|ch|sh|ss|z|atus|irus|onus|^bus|mpus)es$/.test(word)
    ? word.slice(0, -2)
    : word.slice(0, -1);
}

/** Reports whether a path segment is not itself a value, such as the name of a user. */
export function isName(segment: string): boolean {
  return !/[A-Za-z]\d|\d[A-Za-z]/.test(segment);
}

/** Reports whether two lists have a word in common. A word and its abbreviation are the same. */
export function haveCommonWord(some: readonly string[], others: readonly string[]): boolean {
  return some.some((word) => hasWord(others, word));
}

/**
 * Returns the fraction of the words in two lists that occur in both; 0 if both are empty. `buildid`
 * is the same word as `build`. A word counts half if only its abbreviation occurs, because `build`
 * may not be short for `builder`.
 */
export function commonShare(first: readonly string[], second: readonly string[]): number {
  const all = new Set([...first, ...second]);
  const [some, others] = [first, second].map((words) =>
    words.map((word) =>
      word.endsWith("id") && all.has(word.slice(0, -2)) ? word.slice(0, -2) : word
    )
  );
  const words = new Set([...some, ...others]);
  let common = 0;
  for (const word of words) {
    if (some.includes(word) && others.includes(word)) common++;
    else if (hasWord(some, word) && hasWord(others, word)) common += 0.5;
  }
  return common / Math.max(words.size, 1);
}

function hasWord(words: readonly string[], word: string): boolean {
  return words.some((known) =>
    known === word || isAbbreviation(known, word) || isAbbreviation(word, known)
  );
}

function isAbbreviation(short: string, long: string): boolean {
  return short.length >= 3 && long.startsWith(short);
}

/** Reports whether a name does not say of which kind its object is, as `id` and `item` do not. */
export function isOfAnyObject(name: string): boolean {
  return resourceWords(name).every((word) => OBJECTS.has(word));
}

/** Reports whether two field names are equal, ignoring case and punctuation. */
export function hasSameName(a: string, b: string): boolean {
  const bare = (name: string) => name.toLowerCase().replace(/[^a-z0-9\u0080-\uffff]/g, "");
  return bare(a) === bare(b);
}

/** Returns the words of a path before a value. None for the second of two numbers: `/shelf/1/2`. */
export function wordsOfPath(path: readonly string[]): readonly string[] {
  return isShortNumber(path.at(-1) ?? "") ? [] : collectionIn(path);
}

/** Reports whether the name of a field suggests a count, a position or a size. */
export function isCount(name: string): boolean {
  const words = nameWords(name);
  const last = words.at(-1) ?? "";
  return QUANTITIES.has(last) || /^(?:max|min|num|nb|first)$/.test(words[0]) && words.length > 1 ||
    COUNTS.has(last) && (words.length === 1 || COUNTS.has(words[0]));
}

/**
 * Returns the words of the last path segment that names a resource. A segment for objects of any
 * kind names none after the name of a collection, as in `/teas/records/2` and `/tables/tea/rows/2`.
 */
function collectionIn(path: readonly string[]): readonly string[] {
  const at = path.findLastIndex((segment) => resourceWords(segment).length > 0);
  const last = resourceWords(path[at] ?? "");
  if (!OBJECTS.has(last.join())) return last;
  const owner = resourceWords(path[at - 1] ?? "");
  const isCollection = nameWords(path[at - 1] ?? "").some((word) => singular(word) !== word) ||
    resourceWords(path[at - 2] ?? "").some((word) => COLLECTIONS.has(word));
  return owner.length > 0 && isCollection ? owner : last;
}
