/**
 * What a request says about the resources to which it and its values belong.
 *
 * @module
 */
import { isMap } from "../base/exact_number.ts";
import { framedJson } from "../base/frames.ts";
import { readJsonBody } from "../traffic/har/json_text.ts";
import { isRpcRequest } from "../traffic/session/body_fields.ts";
import { fieldsIn } from "../traffic/session/call_url.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import { nameWords } from "../traffic/session/dynamic_value.ts";
import { operationName, selectingParameters } from "../traffic/session/operation_name.ts";
import { methodOf, type RecordedCall } from "../traffic/session/recorded_call.ts";
import {
  IN_BODY,
  isPathSegment,
  membersAroundPart,
  RequestField,
} from "../traffic/session/request_field.ts";
import { isPasswordName } from "../traffic/session/secret_names.ts";
import type { Use } from "./pieces.ts";
import { FORMATS, isCount, isGeneric, isName, resourceWords, wordsOfPath } from "./words.ts";

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
    const inSegment = start > 0 ? [field.value.slice(0, start)] : [];
    return wordsOfPath([...fieldsIn(before).map(({ value }) => value), ...inSegment]);
  }
  if (!part?.inPath) return fieldWords(part?.name ?? field.name, use);
  return wordsOfPath(field.value.slice(0, start).split("/").slice(0, -1));
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
  const isUnnamed = named.length === 0 && (isGeneric(name) || name === "" && use.part?.within);
  if (!isUnnamed && !isWrapper(name, use.call)) return named;
  const around = enclosingNames(use).filter((outer) => !isWrapper(outer, use.call))
    .map(resourceWords);
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

/** Names of objects that contain the parameters of an operation. */
const WRAPPERS = new Set(
  ("variables operations input inputs params arguments args options filter where connect " +
    "disconnect set").split(" "),
);
/** Matches the name of the objects to which an operation applies, such as `selectedItems`. */
const SELECTION =
  /^(?:selected|selection|(?:in|ex)cluded|checked|marked)[-_]?(?:(?:item|row|record|object|id)s?)?$/i;

/**
 * Reports whether a name only wraps the parameters of an operation. The name of a collection of the
 * session does not.
 */
function isWrapper(name: string, { collections }: RecordedCall): boolean {
  const word = name.toLowerCase();
  const isWrapping = WRAPPERS.has(word) || SELECTION.test(name);
  return isWrapping && !collections.has(word) && !collections.has(`${word}s`);
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
  places: Map<RequestField, JsonPlace>,
): Map<RequestField, JsonPlace> {
  const { path } = place;
  if (node instanceof RequestField) places.set(node, place);
  else if (Array.isArray(node)) { for (const item of node) collect(item, place, places); }
  else if (isMap(node)) {
    for (const [name, member] of Object.entries(node)) {
      collect(member, { path: [...path, name], object: node }, places);
    }
  }
  return places;
}

/** Words in operation names, such as `query` and `fetch`, that do not name a resource. */
const OPERATION_VERBS = new Set(
  "query mutation detail find fetch load submit list read write search model rpc".split(" "),
);
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
      selectedOperation(call) ?? eventName(call) ?? "";
    const named = (names: readonly string[]) =>
      names.flatMap(resourceWords).filter((word) => !OPERATION_VERBS.has(word));
    const words = named(fields.length > 0 ? fields : [operation]);
    // The last word before the method names the resource: `model.party.address.read`.
    if (words.length > 0) return model === undefined ? words : words.slice(-1);
    const chosen = isProgram(call) ? named(selected(call)) : [];
    return chosen.length > 0 ? chosen : pathWords(call);
  });
}

/** Returns the words of a call's path that name resources, in the order of the path. */
export function pathWords({ url }: Pick<RecordedCall, "url">): string[] {
  return url.path.flatMap((piece) =>
    piece instanceof RequestField && isName(piece.value) ? resourceWords(piece.value) : []
  );
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

/** Returns the name of the event in a message, as in `42["open order",7]`. */
function eventName({ body }: RecordedCall): string | undefined {
  const framed = body?.kind === "text" ? framedJson(body.field.value) : undefined;
  const list = framed && readJsonBody(framed.json)?.value;
  return Array.isArray(list) && typeof list[0] === "string" ? list[0] : undefined;
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

/** Reports whether a call sends a password, as a login does. */
export function sendsPassword({ fields }: RecordedCall): boolean {
  return fields.some(({ kind, name, value }) =>
    IN_BODY.has(kind) && isPasswordName(name) && value !== ""
  );
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
    const match = GRAPHQL.exec(text.slice(0, 10_000));
    return match === null ? [] : [{ type: match[1] ?? "query", name: match[2] }];
  });
}

/** Returns the operations of a GraphQL request that uploads files in a multipart body. */
function uploadOperations(body: RecordedCall["body"]): unknown {
  if (body?.kind !== "multipart") return undefined;
  const field = body.parts.find(({ recorded }) => recorded.name === "operations")?.field;
  return field && readJsonBody(field.value)?.value;
}
