import { type CallPlace, isHeader, placeName } from "../outcome/compare_requests.ts";
import { fieldsIn } from "../traffic/session/call_url.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import { isMessage, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { generatedValues } from "./runs.ts";

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
function collectionKind(segment: string): string {
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
function isCountName(name: string): boolean {
  return nameWords(name).some((word) => COUNTS.has(word));
}

function lastKind(text: string): string {
  const word = nameWords(text).findLast((one) => /^[a-z]{2,}$/.test(one) && !GENERIC.has(one));
  if (word === undefined) return "";
  if (/(?:[^aeiou])ies$/.test(word)) return word.slice(0, -3) + "y";
  if (/(?:ss|sh|ch|x)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word;
}

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

/** A short id in a request, at a place whose name suggests an id. */
export interface SentId {
  readonly value: string;
  readonly place: string;
  /**
   * The id with the text around it that shows that it is an id, such as `312.json` or `orders/312`.
   * Equal to `value` if the id is the whole text at `place`.
   */
  readonly written: string;
  /** Name of the field. Empty for a path segment. */
  readonly name: string;
  /** Kind of the object, or an empty string if unknown. */
  readonly kind: string;
  /**
   * True if only responses can show that the text is an id: the field is named `post` instead of
   * `post_id`, or is a parameter such as `t`, or the text is a word, such as `dark` in `theme_id`.
   */
  readonly isGuess: boolean;
}

/** Maximum length of a short id, in UTF-16 code units. */
const LONGEST = 64;
/** Maximum length of a URL that is searched for ids, in UTF-16 code units. */
const LONGEST_ADDRESS = 2_048;
/** Matches ids such as `TK-77`. */
const TICKET = /^[A-Z]{1,8}-?\d{1,3}$/;
const DIGITS = /^(?!0+$)\d{1,3}$/;
/** Matches a number, and any text after a hyphen, in a query such as `?28-1.-form`. */
const NAMELESS = /^\d{1,3}(?:-[\w.-]*)?$/;
/** Matches text that contains a digit, and is neither zero nor a version such as `v2`. */
const ID = /^(?!v\d)(?=.*\d)(?!0+$)[\w.~@+=-]+$/i;

/** Matches text that consists of words. */
const WORD = /^[A-Za-z]{2,}(?:[_-][A-Za-z]+)*$/;

/** Matches an id in a path segment, before a suffix or an action, as in `312.json`. */
const SUFFIXED = /^((?!0+(?!\d))\d{1,3}|[A-Z]{1,8}-?\d{1,3})(?:[.:][A-Za-z][\w-]*)?$/;
/** Matches an id before a title, as in `312-green-tea`. */
const TITLED = /^((?!0+-)\d{1,3})-[A-Za-z][\w-]*$/;
/** Matches an id in parentheses after the name of a collection, as in `Orders(312)`. */
const KEYED = /^([A-Za-z]\w*)\(["']?((?!0+\b)\d{1,3})["']?\)$/;
/** Matches a URL or the path of a URL. */
const ADDRESS = /^(?:https?:\/\/[^/?#\s]*)?\/[^\s]*$/i;
/** Matches an id in the path of a URL, and the path segments without digits before the id. */
const IN_ADDRESS = /((?:\/[A-Za-z][\w.-]*)+)\/((?!0+\b)\d{1,3})(?=[/?#]|$)/g;
/** Places that contain the name of the operation that a request calls. */
const OPERATIONS = ["json $.operationName", "json $.method", "json $[0]"];
/** Matches the place of the id of a JSON-RPC request, which the client chooses. */
const RPC_ID = /^json \$(?:\[\d+\])?\.id$/;
/** Matches the name of a header that contains an id. */
const ID_HEADER = /^header .*-id$/;

/** Returns the short ids in a request. A short id is an id that does not look generated. */
export function sentIds(
  call: RecordedCall,
  places: ReadonlyMap<string, CallPlace>,
): SentId[] {
  const segments = fieldsIn(call.url.path).map(({ value }) => value);
  const operations = OPERATIONS.map((place) => places.get(place)?.text ?? "");
  const inPath = isMessage(call) ? "" : objectKind(segments.join(" "));
  return [...places].flatMap(([place, { text, isFile }]): SentId[] => {
    if (isFile || (isHeader(place) && !ID_HEADER.test(place))) return [];
    if (call.body?.kind === "json" && RPC_ID.test(place) && call.body.rpcIds.has(text)) return [];
    const segment = /^path segment (\d+)/.exec(place);
    if (segment !== null) return segmentIds(place, text, segments.slice(0, Number(segment[1]) - 1));
    if (WORD.test(text)) return wordIds(place, text);
    if (ADDRESS.test(text) && text.length <= LONGEST_ADDRESS) return addressIds(place, text);
    if (!isCandidate(text)) return [];
    const name = placeName(place);
    const { isId, kind } = readIdName(name);
    const id = { value: text, place, written: text, name };
    if (place === "query ") {
      return NAMELESS.test(text) ? [{ ...id, kind: parameterKind(""), isGuess: true }] : [];
    }
    if (!isId) {
      if (!(DIGITS.test(text) || TICKET.test(text)) || isCountName(name)) return [];
      const kinds = objectKind(name) !== "" || !/\[\d+\]$/.test(place)
        ? [objectKind(name)]
        : operations.flatMap(nameWords);
      return kinds.map((word) => ({ ...id, kind: objectKind(word), isGuess: true }));
    }
    const around = () =>
      objectKind(place.replace(/[^.]*$/, "")) ||
      operations.map(objectKind).find((one) => one !== "") || inPath;
    return [{ ...id, kind: kind || around(), isGuess: false }];
  });
}

/**
 * Reports whether text that a request sends at the place of `id` contains the id as recorded.
 */
export function containsId({ value, written }: SentId, text: string): boolean {
  if (text === written || written === value) return text === written;
  return new RegExp(`(?<!\\w)${RegExp.escape(written)}(?!\\w)`).test(text);
}

function segmentIds(place: string, text: string, before: readonly string[]): SentId[] {
  const id = (value: string, kind: string, isGuess = false): SentId[] =>
    kind === "" ? [] : [{ value, place, written: text, name: "", kind, isGuess }];
  const keyed = KEYED.exec(text);
  if (keyed !== null) return id(keyed[2], collectionKind(keyed[1]));
  const [, value] = SUFFIXED.exec(text) ?? [];
  if (value !== undefined) return id(value, pathKind(before));
  const [, titled] = TITLED.exec(text) ?? [];
  return titled === undefined ? [] : id(titled, pathKind(before), true);
}

function addressIds(place: string, url: string): SentId[] {
  return [...url.replace(/[?#].*/s, "").matchAll(IN_ADDRESS)].flatMap(([, path, value]) => {
    const words = path.split("/");
    const kind = pathKind(words);
    if (kind === "") return [];
    return [{ value, place, written: `${words.at(-1)}/${value}`, name: "", kind, isGuess: false }];
  });
}

/**
 * Returns the field at `place`, whose text is a word, as a short id if the field's name ends in
 * `id`, as in `theme_id`. Otherwise, returns an empty list.
 */
function wordIds(place: string, text: string): SentId[] {
  if (text.length > LONGEST || !/^(?:query|form|multipart|json) /.test(place)) return [];
  const name = placeName(place);
  const words = nameWords(name);
  const { kind } = readIdName(name);
  if (words.length < 2 || words.at(-1) !== "id" || kind === "") return [];
  return [{ value: text, place, written: text, name, kind, isGuess: true }];
}

function isCandidate(text: string): boolean {
  return text !== "" && text.length <= LONGEST && ID.test(text) &&
    generatedValues(text).length === 0;
}
