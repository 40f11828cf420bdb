import { nameWords } from "../../traffic/session/dynamic_value.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { RequestField } from "../../traffic/session/request_field.ts";
import type { Located } from "./sources/source_search.ts";

/** Words that do not name a resource, such as `id`, `data`, `edit` and `json`. */
const GENERIC = new Set(
  ("id ids uuid uuids guid guids key number no pk ref api rest v ajax json xml php html aspx asp jsp do action " +
    "data results values response payload attributes self href url uri new edit create add update change " +
    "delete remove save view show get the of for by to in on and current next prev previous first last parent root child " +
    "source target related")
    .split(" "),
);

/** Reports whether a word, such as `id` or `data`, does not name a resource. */
export function isGeneric(word: string): boolean {
  return GENERIC.has(word);
}

/** Cache of `resourceWords`, because names and path segments often repeat in a recording. */
const known = new Map<string, readonly string[]>();

/** Returns the singular of each word in a name. Omits words that do not name a resource. */
export function resourceWords(name: string): readonly string[] {
  let words = known.get(name);
  if (words === undefined) {
    words = findResourceWords(name);
    if (known.size < 100_000) known.set(name, words);
  }
  return words;
}

function findResourceWords(name: string): string[] {
  return nameWords(name).filter((word) => /[a-z\u0080-\uffff]/.test(word) && !GENERIC.has(word))
    .map(singular);
}

const TEMPORAL = new Set(
  "time timestamp ts date since until after before from modified updated created changed expires version last etag"
    .split(" "),
);

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

/** Returns the words of a call's path that name resources, in the order of the path. */
export function pathWords({ url }: Pick<RecordedCall, "url">): string[] {
  return url.path.flatMap((piece) =>
    piece instanceof RequestField ? resourceWords(piece.value) : []
  );
}

const MEMBER = /\.([A-Za-z_]\w*)|\['((?:[^'\\]|\\.)*)'\]/g;

/** Returns the member names in the path of a `jsonpath` extractor. Empty for other extractors. */
export function memberNames(located: Located): readonly string[] {
  if (located.type !== "jsonpath") return [];
  const { expression } = located;
  let names = knownNames.get(expression);
  if (names === undefined) {
    names = [...expression.replace(FILTER, "").matchAll(MEMBER)]
      .map(([, plain, quoted]) => plain ?? quoted);
    if (knownNames.size < 10_000) knownNames.set(expression, names);
  }
  return names;
}

/** Cache of `memberNames`, because most paths in a recording occur in many responses. */
const knownNames = new Map<string, readonly string[]>();

/** Matches a filter in a JSONPath. A filter names members that are not on the path to the value. */
const FILTER = /\[\?(?:'(?:[^'\\]|\\.)*'|[^\]'])*\]/g;

/**
 * Reports whether two lists have a word in common. A word and its abbreviation count as the same
 * word.
 */
export function haveCommonWord(some: readonly string[], others: readonly string[]): boolean {
  return some.some((word) => hasWord(others, word));
}

/**
 * Returns the fraction of the words in two lists that occur in both, from 0 to 1; 0 if both are
 * empty.
 */
export function commonShare(some: readonly string[], others: readonly string[]): number {
  const words = new Set([...some, ...others]);
  const common = [...words].filter((word) => hasWord(some, word) && hasWord(others, word));
  return common.length / Math.max(words.size, 1);
}

function hasWord(words: readonly string[], word: string): boolean {
  return words.some((one) =>
    one === word || isAbbreviation(one, word) || isAbbreviation(word, one)
  );
}

function isAbbreviation(short: string, long: string): boolean {
  return short.length >= 3 && long.startsWith(short);
}
