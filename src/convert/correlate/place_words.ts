import { isMap } from "../../base/exact_number.ts";
import { nameWords } from "../../traffic/session/dynamic_value.ts";
import { operationName } from "../../traffic/session/operation_name.ts";
import { isWrite, type RecordedCall } from "../../traffic/session/recorded_call.ts";
import { isPathSegment, RequestField } from "../../traffic/session/request_field.ts";
import { isGeneric, memberNames, pathWords, resourceWords } from "./resource_names.ts";
import type { Candidate } from "./sources/source_search.ts";
import type { Usage } from "./usages.ts";

/** Names of fields that contain counts. A short number in such a field is never an id. */
const COUNTS = new Set(
  ("page pages limit offset size count per total max min step version sort order rows row start end " +
    "width height level depth quantity qty amount price index position rank score age year month day")
    .split(" "),
);

/**
 * Last words of names of fields that contain quantities, even if the words before them name a
 * resource, as in `item_count`. A short number in such a field is never an id.
 */
const QUANTITIES = new Set(
  "quantity qty count amount total price limit offset width height depth score age".split(" "),
);

/** Names of objects that contain the parameters of an operation. */
const WRAPPERS = new Set(
  "variables input inputs params arguments args options filter where".split(" "),
);

/**
 * Returns the words that name the resource of a value in a response: the words of its field, of the
 * objects that contain it, of the collection before it in a link, and of the call.
 */
export function producerWords(candidate: Candidate): readonly string[] {
  let words = wordsOf.get(candidate);
  if (words === undefined) {
    const { key, collection = "", located, producer } = candidate;
    words = [key, collection, ...memberNames(located)].flatMap(resourceWords)
      .concat(callWords(producer));
    wordsOf.set(candidate, words);
  }
  return words;
}

const wordsOf = new WeakMap<Candidate, readonly string[]>();

/**
 * Returns the words that name the resource to which a value in a request belongs: the words of its
 * field, or of the nearest path segment before it that names a resource. If the field has a generic
 * name such as `id`, returns the words of the object that contains the field. If the object also
 * has a generic name, returns the words of the call. Returns an empty list if the field contains a
 * count.
 */
export function consumerWords({ call, field, start, part }: Usage): readonly string[] {
  if (isPathSegment(field)) return collectionBefore(call, field);
  if (!part?.inPath) return fieldWords(part?.name ?? field.name, call, field);
  const segments = field.value.slice(0, start).split("/").map(resourceWords);
  return segments.findLast((words) => words.length > 0) ?? [];
}

/**
 * Returns the words that `consumerWords` returns for a usage (an occurrence of a value in a
 * request). If the field has a generic name such as `id`, also returns the words of the call,
 * because the name of the field does not show which object it identifies.
 */
export function contextWords(usage: Usage): readonly string[] {
  const { call, field, part } = usage;
  const isNamed = isPathSegment(field) || part?.inPath ||
    resourceWords(part?.name ?? field.name).length > 0;
  return isNamed ? consumerWords(usage) : [...consumerWords(usage), ...callWords(call)];
}

/** Returns the path segment before a value in a request, or the name of its field or part. */
export function nameBefore({ call: { url }, field, start, part }: Usage): string {
  if (isPathSegment(field)) {
    const before = url.path.slice(0, url.path.indexOf(field))
      .findLast((piece) => piece instanceof RequestField);
    return before instanceof RequestField ? before.recorded : "";
  }
  if (!part?.inPath) return part?.name ?? field.name;
  return field.value.slice(0, start).split("/").at(-2) ?? "";
}

function fieldWords(name: string, call: RecordedCall, field: RequestField): readonly string[] {
  const words = nameWords(name);
  const last = words.at(-1) ?? "";
  if (QUANTITIES.has(last)) return [];
  if (COUNTS.has(last) && (words.length === 1 || COUNTS.has(words[0]))) return [];
  const named = resourceWords(name);
  if (named.length > 0 || !isGeneric(last)) return named;
  const around = enclosingNames(call, field).filter((one) => !WRAPPERS.has(one.toLowerCase()))
    .map(resourceWords);
  return around.findLast((words) => words.length > 0) ?? callWords(call);
}

/** Returns the words of the nearest path segment before `field` that names a resource. */
function collectionBefore({ url }: RecordedCall, field: RequestField): readonly string[] {
  for (let at = url.path.indexOf(field) - 1; at >= 0; at--) {
    const piece = url.path[at];
    const words = piece instanceof RequestField ? resourceWords(piece.value) : [];
    if (words.length > 0) return words;
  }
  return [];
}

const enclosing = new WeakMap<RecordedCall, ReadonlyMap<RequestField, readonly string[]>>();

/**
 * Returns the names of the members that contain a field in the JSON body of a call, from the
 * outermost to the innermost, without the field's own name. Empty for a field elsewhere in the
 * request.
 */
function enclosingNames(call: RecordedCall, field: RequestField): readonly string[] {
  if (field.kind !== "json" || call.body?.kind !== "json") return [];
  let names = enclosing.get(call);
  if (names === undefined) {
    const found = new Map<RequestField, readonly string[]>();
    collect(call.body.tree, [], found);
    enclosing.set(call, names = found);
  }
  return names.get(field)?.slice(0, -1) ?? [];
}

function collect(
  node: unknown,
  path: readonly string[],
  found: Map<RequestField, readonly string[]>,
): void {
  if (node instanceof RequestField) found.set(node, path);
  else if (Array.isArray(node)) { for (const item of node) collect(item, path, found); }
  else if (isMap(node)) {
    for (const [name, member] of Object.entries(node)) collect(member, [...path, name], found);
  }
}

/**
 * Matches a GraphQL document up to the first field of its first operation. Group 1 is the type of
 * the operation, and group 2 the name of the field, not its alias.
 */
const GRAPHQL =
  /^(?:\s|#[^\n]*\n)*(query|mutation|subscription)?\b[^{]{0,4000}\{\s*(?:\w+\s*:\s*)?(\w+)/;

/** Words in operation names, such as `query` and `fetch`, that do not name a resource. */
const OPERATION_VERBS = new Set("query mutation detail find fetch load submit list".split(" "));

const wordsOfCalls = new WeakMap<RecordedCall, readonly string[]>();

/**
 * Returns the words that name the resources of a call. If the request names an operation, as in
 * GraphQL, JSON-RPC and SOAP, these are the words of the operation, because all operations of such
 * an API have the same path. Otherwise, they are the words of the path.
 */
export function callWords(call: RecordedCall): readonly string[] {
  const known = wordsOfCalls.get(call);
  if (known !== undefined) return known;
  const fields = graphqlFields(call).map(({ name }) => name);
  const operation = operationName(call, ({ recorded }) => recorded) ?? "";
  const words = [...fields.length > 0 ? fields : [operation]].flatMap(resourceWords)
    .filter((word) => !OPERATION_VERBS.has(word));
  const found = words.length > 0 ? words : pathWords(call);
  wordsOfCalls.set(call, found);
  return found;
}

/**
 * Reports whether a call may change data. Returns false for GraphQL queries, although they use
 * POST.
 */
export function mayChangeData(call: RecordedCall): boolean {
  const fields = graphqlFields(call);
  return isWrite(call) && (fields.length === 0 || fields.some(({ type }) => type === "mutation"));
}

/** Returns the first field of each GraphQL document in the body of a call. */
function graphqlFields({ body }: RecordedCall): { readonly type: string; readonly name: string }[] {
  if (body?.kind !== "json") return [];
  const items: readonly unknown[] = Array.isArray(body.tree) ? body.tree : [body.tree];
  return items.flatMap((item) => {
    const query = (item as { readonly query?: unknown } | null)?.query;
    if (!(query instanceof RequestField)) return [];
    const found = GRAPHQL.exec(query.value.slice(0, 10_000));
    return found === null ? [] : [{ type: found[1] ?? "query", name: found[2] }];
  });
}
