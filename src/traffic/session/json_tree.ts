import { ExactNumber, isNumber } from "../../base/exact_number.ts";
import { holdsValue, NumberField, RequestField } from "./request_field.ts";

/**
 * Copies a JSON value and replaces each leaf (any value except a list or an object) with the result
 * of `leaf`, and the name of each member with the result of `rename`. `key` is the name of the
 * member that contains the leaf. For a leaf in a list, it is the name of the member that contains
 * the list. This function is recursive, so the depth of `value` must be limited.
 */
export function mapLeaves(
  value: unknown,
  leaf: (value: unknown, key: string) => unknown,
  rename: (name: string) => string = (name) => name,
  key = "",
): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, leaf, rename, key));
  if (
    typeof value !== "object" || value === null || value instanceof RequestField ||
    value instanceof ExactNumber
  ) return leaf(value, key);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      rename(name),
      mapLeaves(member, leaf, rename, name),
    ]),
  );
}

/** A JSON value with fields in place of its leaves. */
export interface FieldTree {
  /** The value, with a `RequestField` in place of each leaf that `leafText` converts to text. */
  readonly tree: unknown;
  /**
   * Fields that represent the names of members, keyed by name. Contains only the names that may
   * contain a server-generated value (see `holdsValue`).
   */
  readonly names: ReadonlyMap<string, RequestField>;
  /** Ids of the JSON-RPC requests in the value. The client chooses them, and responses echo them. */
  readonly rpcIds: ReadonlySet<string>;
}

const NO_IDS: ReadonlySet<string> = new Set();

/**
 * Splits a JSON value into fields, and appends them to `fields`. Omits the ids of JSON-RPC requests
 * from `fields`, because no server generates them.
 */
export function fieldTree(value: unknown, fields: RequestField[]): FieldTree {
  const first = fields.length;
  const names = new Map<string, RequestField>();
  const add = (field: RequestField) => (fields.push(field), field);
  const tree = mapLeaves(
    value,
    (leaf, key) => {
      const text = leafText(leaf);
      return text === undefined
        ? leaf
        : add(new (isNumber(leaf) ? NumberField : RequestField)("json", key, text));
    },
    (name) => {
      if (holdsValue(name) && !names.has(name)) {
        names.set(name, add(new RequestField("name", "", name)));
      }
      return name;
    },
  );
  const ids = (Array.isArray(tree) ? tree : [tree]).flatMap((item) =>
    isRpcRequest(item) && item.id instanceof RequestField ? [item.id] : []
  );
  if (ids.length === 0) return { tree, names, rpcIds: NO_IDS };
  const isId = new Set(ids);
  const rest = fields.splice(first).filter((field) => !isId.has(field));
  for (const field of rest) fields.push(field);
  const rpcIds = new Set(ids.map(({ value }) => value));
  return { tree, names, rpcIds };
}

/**
 * Reports whether a JSON value is a JSON-RPC request. In version 1.0, which has no member
 * `jsonrpc`, its members are `id`, `method` and a list of `params`. `tree` has a `RequestField` in
 * place of each leaf.
 */
export function isRpcRequest(
  tree: unknown,
): tree is { readonly method: RequestField; readonly id?: unknown } {
  if (typeof tree !== "object" || tree === null || !("method" in tree)) return false;
  if (!(tree.method instanceof RequestField) || tree.method.numeric) return false;
  return "jsonrpc" in tree ||
    "params" in tree && Array.isArray(tree.params) && "id" in tree &&
      Object.keys(tree).length === 3;
}

/**
 * Returns the text of a leaf that is a string, a non-negative integer or a Unix time with a
 * fraction. Returns undefined for any other leaf.
 */
export function leafText(leaf: unknown): string | undefined {
  if (typeof leaf === "string") return leaf;
  if (leaf instanceof ExactNumber) return VALUE.test(leaf.text) ? leaf.text : undefined;
  if (typeof leaf !== "number" || leaf < 0) return undefined;
  if (Number.isSafeInteger(leaf)) return String(leaf);
  const text = leaf < MIN_TIME ? "" : String(leaf);
  return VALUE.test(text) ? text : undefined;
}

/** Smallest fractional number that is treated as a Unix time: 100,000,000 seconds (in 1973). */
const MIN_TIME = 100_000_000;
const VALUE = /^(?:\d+|\d{9,10}\.\d{3,9})$/;
