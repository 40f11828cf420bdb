import { ExactNumber, isNumber } from "../../base/exact_number.ts";
import { nameHint } from "./dynamic_value.ts";
import { type FieldPart, holdsValue, RequestField } from "./request_field.ts";

/**
 * Copies a JSON value with other leaves and names. `key` is the name of the member with the leaf,
 * or with its list. Recursive, so the depth must be limited.
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
  readonly tree: unknown;
  /** The names of members that may contain a generated value (see `holdsValue`), by name. */
  readonly names: ReadonlyMap<string, RequestField>;
  /** Ids of JSON-RPC requests, which the client chooses, and responses echo. */
  readonly rpcIds: ReadonlySet<string>;
}

const NO_IDS: ReadonlySet<string> = new Set();

/** Appends the fields of a JSON value to `fields`, except the ids of JSON-RPC requests. */
export function fieldTree(value: unknown, fields: RequestField[]): FieldTree {
  const first = fields.length;
  const names = new Map<string, RequestField>();
  const memberNames = new FieldNames();
  const add = (field: RequestField) => (fields.push(field), field);
  const tree = mapLeaves(
    value,
    (leaf, key) => {
      const text = leafText(leaf);
      memberNames.add({ name: key, value: text });
      return text === undefined
        ? leaf
        : add(new (isNumber(leaf) ? NumberField : RequestField)("json", key, text));
    },
    (name) => {
      const field = names.has(name) ? undefined : memberNames.field(name);
      if (field !== undefined) names.set(name, add(field));
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

/** Version 1.0 has no member `jsonrpc`, but `method`, a list of `params`, and mostly `id`. */
export function isRpcRequest(
  tree: unknown,
): tree is { readonly method: RequestField; readonly id?: unknown } {
  if (typeof tree !== "object" || tree === null || !("method" in tree)) return false;
  if (!(tree.method instanceof RequestField) || tree.method.numeric) return false;
  return "jsonrpc" in tree ||
    "params" in tree && Array.isArray(tree.params) &&
      Object.keys(tree).every((name) => /^(?:id|method|params)$/.test(name));
}

/** Text of a string, a non-negative integer or a Unix time with a fraction, else undefined. */
export function leafText(leaf: unknown): string | undefined {
  if (typeof leaf === "string") return leaf;
  if (leaf instanceof ExactNumber) return VALUE.test(leaf.text) ? leaf.text : undefined;
  if (typeof leaf !== "number" || leaf < 0) return undefined;
  if (Number.isSafeInteger(leaf)) return String(leaf);
  const text = leaf < MIN_TIME ? "" : String(leaf);
  return VALUE.test(text) ? text : undefined;
}

/** Smallest fractional number that is a Unix time: 100,000,000 seconds (in 1973). */
const MIN_TIME = 100_000_000;
const VALUE = /^(?:\d+|\d{9,10}\.\d{3,9})$/;

/** Matches up to three digits, or `new`, which some servers write for a row without an id. */
const NUMBER =
  /(?<![A-Za-z0-9\x80-\uffff])(?<!\d\.)(?:0|[1-9]\d{0,2}|new)(?![A-Za-z0-9\x80-\uffff])(?!\.\d)/g;
const SEPARATORS = /[^A-Za-z0-9\x80-\uffff]+$/;
/** Maximum length of a name in which to look for numbers, in UTF-16 code units. */
const LONGEST_NAME = 200;

/**
 * The names of the fields of a form, query or JSON body. The parts of a name with digits are short
 * numbers that may be ids: those that another field sends as an id, if they are alone in their
 * place, and any number after a text, unless 0 or 1 follows this text, as positions of rows do. A 1
 * at the end of a name, or that is an id in the path, may be an id if it is the only number there.
 */
export class FieldNames {
  readonly #names = new Set<string>();
  /** The names of the fields that send a short number as an id. */
  readonly #ids = new Map<string, string>();
  #places: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  readonly #inPath: ReadonlySet<string>;

  /** `others` are the other fields of the request. */
  constructor(others: readonly RequestField[] = []) {
    this.#inPath = new Set(others.filter(({ kind }) => kind === "path").map(({ value }) => value));
  }

  add({ name, value = "" }: { readonly name: string; readonly value?: string | undefined }): void {
    if (holdsValue(name)) this.#names.add(name);
    if (!this.#ids.has(value) && /^[1-9]\d{0,2}$/.test(value) && nameHint(name).idLike) {
      this.#ids.set(value, name);
    }
  }

  /** Returns the field for a name, or undefined if the name has no digit. */
  field(name: string): RequestField | undefined {
    return holdsValue(name)
      ? new RequestField("name", "", name, name, () => this.partsOf(name))
      : undefined;
  }

  partsOf(name: string): readonly FieldPart[] {
    const places = this.#places ??= placesOf(this.#names);
    return numbersIn(name).flatMap(([{ value, start, end }, place, family]) => {
      const numbers = places.get(family);
      if (numbers === undefined) return [];
      const before = name.slice(0, start).replace(SEPARATORS, "");
      const mayBePosition = start > 0 && (numbers.has("0") || numbers.has("1"));
      const mayBeOnly = end === name.length || this.#inPath.has(value);
      const isOnly = numbers.size === 1 && value === "1" && mayBeOnly;
      const id = places.get(place)?.size === 1 ? this.#ids.get(value) : undefined;
      const part = mayBePosition ? (isOnly ? before : "") : id ?? before;
      return part === "" ? [] : [{ start, end, name: part, inPath: false }];
    });
  }
}

/** Returns the numbers at each place of names: between the same texts, or after the same text. */
function placesOf(names: Iterable<string>): Map<string, Set<string>> {
  const places = new Map<string, Set<string>>();
  for (const name of names) {
    for (const [number, ...keys] of numbersIn(name)) {
      for (const key of keys) places.getOrInsertComputed(key, () => new Set()).add(number.value);
    }
  }
  return places;
}

/** A number in a name, and keys of its place: the text around it, and on one side of it. */
type NumberInName = readonly [
  number: Pick<FieldPart, "start" | "end"> & { readonly value: string },
  place: string,
  family: string,
];

function numbersIn(name: string): NumberInName[] {
  if (name.length > LONGEST_NAME) return [];
  return [...name.matchAll(NUMBER)].map(({ 0: value, index: start }) => {
    const end = start + value.length;
    const [before, after] = [name.slice(0, start), name.slice(end)];
    return [{ value, start, end }, `${before}\0${after}`, before || `\0${after}`];
  });
}

class NumberField extends RequestField {
  override get numeric(): boolean {
    return true;
  }
}
