import { isMap } from "../base/exact_number.ts";
import { readJsonBody } from "../traffic/har/json_text.ts";
import { isRpcRequest } from "../traffic/session/body_fields.ts";
import { fieldsIn } from "../traffic/session/call_url.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { isShortNumber, nameWords } from "../traffic/session/dynamic_value.ts";
import { operationName, selectingParameters } from "../traffic/session/operation_name.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import {
  isPathSegment,
  membersAroundPart,
  RequestField,
} from "../traffic/session/request_field.ts";
import type { Use } from "./pieces.ts";

/** Words that name a format or an interface. A digit in a field of such a name is a switch. */
const FORMATS = new Set("api rest v ajax json xml php html aspx asp jsp do".split(" "));
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
/** Names of objects that contain the parameters of an operation. */
const WRAPPERS = new Set(
  ("variables operations input inputs params arguments args options filter where connect " +
    "disconnect set").split(" "),
);
/** Matches the name of the objects to which an operation applies, such as `selectedItems`. */
const SELECTION =
  /^(?:selected|selection|(?:in|ex)cluded|checked|marked)[-_]?(?:(?:item|row|record|object|id)s?)?$/i;
const OBJECTS = new Set("item record row object".split(" "));
/** Words for collections of any kind in the path of an interface, before the name of one. */
const COLLECTIONS = new Set(
  "resource collection table model class type entity schema".split(" "),
);
/** Words in operation names, such as `query` and `fetch`, that do not name a resource. */
const OPERATION_VERBS = new Set(
  "query mutation detail find fetch load submit list read write search model rpc".split(" "),
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

/** Reports whether a field's name suggests the number of a resource, as `invoiceNo` does. */
export function isNumberName(name: string): boolean {
  return NUMBER_NAMES.has(nameWords(name).at(-1) ?? "");
}

/** Reports whether the words of a field's name only name a format, as `ajax` does. */
export function isFormatName(name: string): boolean {
  const words = nameWords(name);
  return words.length > 0 && words.every((word) => FORMATS.has(word));
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

/** Returns the words of a call's path that name resources, in the order of the path. */
export function pathWords({ url }: Pick<RecordedCall, "url">): string[] {
  return url.path.flatMap((piece) =>
    piece instanceof RequestField && isName(piece.value) ? resourceWords(piece.value) : []
  );
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
  return words.some((one) =>
    one === word || isAbbreviation(one, word) || isAbbreviation(word, one)
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

/**
 * Returns the words that name the resource to which a value in a request belongs: the words of its
 * field, or of the nearest path segment before it that names a resource. If the field has a generic
 * name such as `id`, returns the words of the object that contains the field. If the object also
 * has a generic name, returns the words of the call. Empty if the field contains a count.
 */
export function consumerWords(use: Use): readonly string[] {
  const { call, field, start, part } = use;
  if (field.kind === "name") {
    const before = resourceWords(field.value.slice(0, start));
    return before.length > 0 ? before : fieldWords(part?.name ?? "", use);
  }
  if (isPathSegment(field)) {
    const before = call.url.path.slice(0, call.url.path.indexOf(field));
    return wordsOfPath(fieldsIn(before).map(({ value }) => value));
  }
  if (!part?.inPath) return fieldWords(part?.name ?? field.name, use);
  return wordsOfPath(field.value.slice(0, start).split("/").slice(0, -1));
}

/** Returns the words of a path before a value. None for the second of two numbers: `/shelf/1/2`. */
export function wordsOfPath(path: readonly string[]): readonly string[] {
  return isShortNumber(path.at(-1) ?? "") ? [] : collectionIn(path);
}

/** Returns `consumerWords`, and the words of the call if the name of the field is generic. */
export function contextWords(use: Use): readonly string[] {
  const { call, field, part } = use;
  const name = part?.name ?? field.name;
  const isNamed = isPathSegment(field) || part?.inPath ||
    namedResource(name, call).length > 0 && !isWrapper(name, call);
  return isNamed ? consumerWords(use) : [...consumerWords(use), ...callWords(call)];
}

/** Returns the path segment before a value in a request, or the name of its field or part. */
export function nameBefore({ call: { url }, field, start, part }: Use): string {
  if (isPathSegment(field)) {
    const before = url.path.slice(0, url.path.indexOf(field))
      .findLast((piece) => piece instanceof RequestField);
    return before instanceof RequestField ? before.recorded : "";
  }
  if (!part?.inPath) return part?.name ?? field.name;
  return field.value.slice(0, start).split("/").at(-2) ?? "";
}

function fieldWords(name: string, use: Use): readonly string[] {
  if (isCount(name)) return [];
  const named = namedResource(name, use.call);
  const isGeneric = named.length === 0 && GENERIC.has(nameWords(name).at(-1) ?? "");
  if (!isGeneric && !isWrapper(name, use.call)) return named;
  const around = enclosingNames(use).filter((one) => !isWrapper(one, use.call)).map(resourceWords);
  return around.find((words) => words.length > 0) ?? callWords(use.call);
}

/**
 * Returns the words of a field's name that name a resource. A generic word does if the session has
 * a collection of this name, as `view` after a request to `/views`.
 */
function namedResource(name: string, { collections }: RecordedCall): readonly string[] {
  const words = name.includes("__") ? lookedUp(name) : resourceWords(name);
  return words.length > 0 ? words : nameWords(name).filter((word) => collections.has(`${word}s`));
}

/** Matches the comparison at the end of a lookup. */
const COMPARISON =
  /^(?:i?(?:exact|contains|startswith|endswith|regex)|isnull|range|[gl]te?|[gl]e|eq|ne)$/;

/** Returns the words of the last name in a lookup: `run` in `cases__executions__run__id__exact`. */
function lookedUp(name: string): readonly string[] {
  return name.split("__").filter((part) => !COMPARISON.test(part)).map(resourceWords)
    .findLast((words) => words.length > 0) ?? [];
}

/**
 * Reports whether a name only wraps the parameters of an operation. The name of a collection of the
 * session does not.
 */
function isWrapper(name: string, { collections }: RecordedCall): boolean {
  const word = name.toLowerCase();
  const isWrapping = WRAPPERS.has(word) || SELECTION.test(name);
  return isWrapping && !collections.has(word) && !collections.has(`${word}s`);
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

/** Where a field is in a JSON body. */
interface JsonPlace {
  /** The names of the members that contain the field, and its own name. */
  readonly path: readonly string[];
  /** The object whose member is the field, or a list with the field. */
  readonly object?: Readonly<Record<string, unknown>>;
}

const places = new WeakMap<RecordedCall, ReadonlyMap<RequestField, JsonPlace>>();

/**
 * Returns the names of the members that contain a value in JSON, the innermost first, without its
 * own name: those in the text of its field, and those in the body.
 */
function enclosingNames({ call, field, part }: Use): readonly string[] {
  const inner = part?.within === undefined ? [] : [...membersAroundPart(part), field.name];
  return [...inner, ...membersAround(call, field).toReversed()];
}

/** Returns the names of the members that contain a field in a JSON body, without its own name. */
export function membersAround(call: RecordedCall, field: RequestField): readonly string[] {
  return jsonPlace(call, field)?.path.slice(0, -1) ?? [];
}

/** Returns the strings of the JSON object that contains a value, with the names of the members. */
export function stringsBeside({ call, field, part }: Use): readonly (readonly [string, string])[] {
  if (part?.within !== undefined) {
    return field.parts().filter(({ within }) => within === part.within)
      .map(({ name, start, end }) => [name, field.value.slice(start, end)]);
  }
  return Object.entries(jsonPlace(call, field)?.object ?? {}).flatMap(([name, member]) =>
    member instanceof RequestField && !member.numeric ? [[name, member.value]] : []
  );
}

function jsonPlace(call: RecordedCall, field: RequestField): JsonPlace | undefined {
  if (field.kind !== "json" || call.body?.kind !== "json") return undefined;
  const { tree } = call.body;
  return places.getOrInsertComputed(call, () => collect(tree, { path: [] }, new Map())).get(field);
}

function collect(
  node: unknown,
  place: JsonPlace,
  found: Map<RequestField, JsonPlace>,
): Map<RequestField, JsonPlace> {
  const { path } = place;
  if (node instanceof RequestField) found.set(node, place);
  else if (Array.isArray(node)) { for (const item of node) collect(item, place, found); }
  else if (isMap(node)) {
    for (const [name, member] of Object.entries(node)) {
      collect(member, { path: [...path, name], object: node }, found);
    }
  }
  return found;
}

const wordsOfCalls = new WeakMap<RecordedCall, readonly string[]>();

/**
 * Returns the words that name the resources of a call: those of the operation that the request
 * names, as in GraphQL, JSON-RPC and SOAP, or those of its path.
 */
export function callWords(call: RecordedCall): readonly string[] {
  return wordsOfCalls.getOrInsertComputed(call, () => {
    const fields = graphqlFields(call).map(({ name }) => name);
    const model = rpcModel(call);
    const operation = model ?? operationName(call, ({ recorded }) => recorded) ??
      selectedOperation(call) ?? "";
    const named = (names: readonly string[]) =>
      names.flatMap(resourceWords).filter((word) => !OPERATION_VERBS.has(word));
    const words = named(fields.length > 0 ? fields : [operation]);
    // The last word before the method names the resource: `model.party.address.read`.
    if (words.length > 0) return model === undefined ? words : words.slice(-1);
    const chosen = isProgram(call) ? named(selected(call)) : [];
    return chosen.length > 0 ? chosen : pathWords(call);
  });
}

/** Matches an operation on a resource, such as `delete_tasks`. */
const OPERATION =
  /^(?:edit|create|add|update|change|delete|remove|save|copy|move|trash|archive)(?:[-_][a-z]+)+$/i;
const SELECTOR = /^_?(?:action|do|act|op|operation|cmd|command|task|func|function|method)$/i;

/** Returns the operation that a parameter of a page selects. */
function selectedOperation({ fields }: RecordedCall): string | undefined {
  return fields.find(({ kind, name, value }) =>
    (kind === "query" || kind === "form" && SELECTOR.test(name)) && OPERATION.test(value)
  )?.value;
}

/** Reports whether the path of a call names a program of the server, as `/backend.php` does. */
function isProgram({ url }: RecordedCall): boolean {
  const last = url.path.findLast((piece) => piece instanceof RequestField);
  const [word, ...others] = nameWords(last?.value ?? "").toReversed();
  return others.length > 0 && FORMATS.has(word);
}

/** Returns the parameters of a call that may select an operation. */
function selected(call: RecordedCall): string[] {
  return [...selectingParameters(call, ({ recorded }) => recorded).values()];
}

/** Returns the model to whose method a JSON-RPC request applies. */
function rpcModel({ body }: RecordedCall): string | undefined {
  if (body?.kind !== "json" || !isRpcRequest(body.tree)) return undefined;
  const { method, params } = body.tree as { method: RequestField; params?: unknown };
  if (isMap(params) && params.model instanceof RequestField) return params.model.value;
  return /^(.+)[./:][^./:]+$/.exec(method.value)?.[1];
}

/** Words in the names of operations that only read data. */
const READS = new Set(
  "read get view show search find list fetch query count load check status".split(" "),
);

const changing = new WeakMap<RecordedCall, boolean>();

/**
 * Reports whether a call may change data, judged by its method and by the name of its operation:
 * operations that only read often use POST.
 */
export function mayChangeData(call: RecordedCall): boolean {
  return changing.getOrInsertComputed(call, () => !isSafeMethod(methodOf(call)) && !isRead(call));
}

function isRead(call: RecordedCall): boolean {
  const fields = graphqlFields(call);
  if (fields.length > 0) return !fields.some(({ type }) => type === "mutation");
  const operation = operationName(call, ({ recorded }) => recorded);
  return operation === undefined
    ? isProgram(call) && selected(call).some((name) => READS.has(nameWords(name)[0]))
    : nameWords(operation).some((word) => READS.has(word));
}

/** Matches a GraphQL document up to the name of the first field of its first operation. */
const GRAPHQL =
  /^(?:\s|#[^\n]*\n)*(query|mutation|subscription)?\b[^{]{0,4000}\{\s*(?:\w+\s*:\s*)?(\w+)/;

/** Returns the first field of each GraphQL document in the body of a call. */
function graphqlFields({ body }: RecordedCall): { readonly type: string; readonly name: string }[] {
  const sent = body?.kind === "json" ? body.tree : uploadOperations(body);
  const items: readonly unknown[] = Array.isArray(sent) ? sent : [sent];
  return items.flatMap((item) => {
    const query = (item as { readonly query?: unknown } | null | undefined)?.query;
    const text = query instanceof RequestField ? query.value : query;
    if (typeof text !== "string") return [];
    const found = GRAPHQL.exec(text.slice(0, 10_000));
    return found === null ? [] : [{ type: found[1] ?? "query", name: found[2] }];
  });
}

/** Returns the operations of a GraphQL request that uploads files in a multipart body. */
function uploadOperations(body: RecordedCall["body"]): unknown {
  if (body?.kind !== "multipart") return undefined;
  const field = body.parts.find(({ recorded }) => recorded.name === "operations")?.field;
  return field && readJsonBody(field.value)?.value;
}
