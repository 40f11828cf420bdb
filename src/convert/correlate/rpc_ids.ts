import { isMap, isNumber } from "../../base/exact_number.ts";
import { isShortNumber, nameWords } from "../../traffic/session/dynamic_value.ts";
import { isRpcRequest } from "../../traffic/session/json_tree.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { RequestField } from "../../traffic/session/request_field.ts";
import { singular } from "./resource_names.ts";
import { forEachLeaf, locateLeaf } from "./sources/json_source.ts";
import type { Candidate, FoundValues, SearchedResponse } from "./sources/source_search.ts";
import type { Usage } from "./usages.ts";

/** Words of JSON-RPC methods that create objects. */
const CREATES = new Set(
  "create new add insert copy duplicate clone save import register".split(" "),
);

/**
 * A JSON-RPC request that calls a method of a resource, such as `party.party.read` or, in Odoo, the
 * method `read` of the model `res.partner`.
 */
interface RpcRequest {
  /** Name of the resource, such as `party.party`. */
  readonly resource: string;
  /** Name of the resource, a space, and the name of the method. */
  readonly method: string;
  /** True if the name of the method suggests that it creates objects. */
  readonly creates: boolean;
  /**
   * Numbers that may identify objects of the resource: the first parameter, or the elements of a
   * list that is the first parameter.
   */
  readonly ids: ReadonlySet<RequestField>;
  /** True if `ids` are the elements of a list. */
  readonly isList: boolean;
}

const requests = new WeakMap<RecordedCall, RpcRequest | { readonly resource: undefined }>();

/**
 * Returns the JSON-RPC request that a call sends. Returns undefined if the call sends none, or if
 * the request does not name a resource.
 */
function rpcRequest(call: RecordedCall): RpcRequest | undefined {
  let known = requests.get(call);
  if (known === undefined) {
    requests.set(call, known = findRpcRequest(call) ?? { resource: undefined });
  }
  return known.resource === undefined ? undefined : known;
}

function findRpcRequest({ body }: RecordedCall): RpcRequest | undefined {
  if (body?.kind !== "json" || !isRpcRequest(body.tree)) return undefined;
  const { method, params } = body.tree as { method: RequestField; params?: unknown };
  if (isMap(params) && params.model instanceof RequestField) {
    if (!(params.method instanceof RequestField)) return undefined;
    return described(params.model.value, params.method.value, params.args);
  }
  const [, resource, name] = /^(.+)[./:]([^./:]+)$/.exec(method.value) ?? [];
  return resource === undefined ? undefined : described(resource, name, params);
}

function described(resource: string, method: string, parameters: unknown): RpcRequest {
  const first: unknown = Array.isArray(parameters) ? parameters[0] : undefined;
  const listed: readonly unknown[] = Array.isArray(first) ? first : [first];
  const isId = (one: unknown): one is RequestField => one instanceof RequestField && one.numeric;
  return {
    resource,
    method: `${resource} ${method}`,
    creates: nameWords(method).some((word) => CREATES.has(word)),
    ids: new Set(listed.every(isId) ? listed : []),
    isList: Array.isArray(first),
  };
}

/**
 * Finds short ids in the results of JSON-RPC requests, which have no name, such as
 * `"result": [7]`:
 *
 * - the ids of the objects that a method such as `party.create` created,
 * - when a created object is read, the ids in its lists, such as `"addresses": [3]`.
 */
export class RpcIdSearch {
  /** The ids that were created, each after the name of its resource and a space. */
  readonly #created = new Set<string>();
  /**
   * The methods whose first parameter is a number, by the number. Each with the number of JSON-RPC
   * responses that were searched before the first call of the method.
   */
  readonly #methods = new Map<string, Map<string, number>>();
  /** Number of JSON-RPC responses that were searched. */
  #searched = 0;

  /** Searches a response. */
  search(response: SearchedResponse, { add }: Pick<FoundValues, "add">): void {
    const { call } = response;
    const request = rpcRequest(call);
    if (request === undefined) return;
    const { resource, method, creates, ids, isList } = request;
    const sent = new Set([...ids].map(({ value }) => value));
    const searched = this.#searched++;
    for (const value of isList ? [] : sent) {
      const known = this.#methods.get(value) ?? new Map<string, number>();
      this.#methods.set(value, known);
      if (!known.has(method)) known.set(method, searched);
    }
    const reads = [...sent].some((value) => this.#created.has(`${resource} ${value}`));
    if (!creates && !reads || response.json === undefined) return;
    forEachLeaf(response.json, (leaf, key, path) => {
      const value = isNumber(leaf) ? String(leaf) : "";
      if (!isShortNumber(value) || path[0] !== "result") return;
      const isResult = path.slice(1).every((step) => typeof step === "number" || step === "id") &&
        path.length <= 3;
      const isInList = typeof path.at(-1) === "number" && typeof path.at(-2) === "string";
      if (creates ? !isResult : isResult || !isInList) return;
      // The result may be a status or a count.
      if (creates && (value === "0" || value === "1" && path.length === 1)) return;
      // A method that returns the ids that it receives did not create these objects.
      if (creates && sent.has(value)) return;
      if (creates) this.#created.add(`${resource} ${value}`);
      const located = locateLeaf(path);
      if (located === undefined) return;
      const collection = creates ? resource : key;
      const candidate: Candidate = {
        ...{ value, key: `${resourceWord(collection)}_id`, source: "json", by: "rpc", collection },
        ...{ numeric: true, producer: call, located },
        hasOtherMethod: (name) => (this.#methods.get(value)?.get(name) ?? Infinity) <= searched,
      };
      add(candidate);
    });
  }
}

/**
 * Reports whether a JSON-RPC request sends a number as the id of an object of the candidate's
 * resource: as the first parameter of a method of this resource, or after the name of the resource,
 * as in `party.party,7`. A method to which an earlier request passed the same number as its first
 * parameter does not count, because this parameter is then not the id of a new object.
 */
export function isRpcId(
  { call, field, part, fills }: Usage,
  { collection = "", hasOtherMethod }: Candidate,
): boolean {
  const request = rpcRequest(call);
  if (request === undefined) return false;
  if (!request.isList && hasOtherMethod?.(request.method)) return false;
  if (fills === "whole" && request.ids.has(field)) {
    return isSameResource(request.resource, collection);
  }
  return part !== undefined && part.name.includes(".") && isSameResource(part.name, collection);
}

/**
 * Reports whether two names identify the same resource: they are equal, one ends with the other
 * after a period, or one is a word that is the singular or plural of the other's last word.
 */
function isSameResource(name: string, collection: string): boolean {
  if (name === collection || collection.endsWith(`.${name}`)) return true;
  return !collection.includes(".") && resourceWord(name) === resourceWord(collection);
}

/** Returns the singular of the last word in the name of a resource. */
function resourceWord(name: string): string {
  return singular(nameWords(name).at(-1) ?? "");
}
