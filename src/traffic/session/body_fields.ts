import { ExactNumber, isNumber } from "../../base/exact_number.ts";
import { nameHint } from "./dynamic_value.ts";
import { type FieldPart, holdsValue, NumberField, RequestField } from "./request_field.ts";

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

/** A number of one to three digits in the name of a form field, such as `12` in `item[12][name]`. */
export interface NumberInName {
  readonly value: string;
  /** Offset of the number in the name, in UTF-16 code units. `end` is exclusive. */
  readonly start: number;
  readonly end: number;
  /**
   * Text that is equal in the names that differ only in this number: the text before the number,
   * or, if there is none, the text after it.
   */
  readonly family: string;
  /** The text before the number, without the separators at its end. */
  readonly title: string;
}

const NUMBER =
  /(?<![A-Za-z0-9\x80-\uffff])(?<!\d\.)(?:0|[1-9]\d{0,2})(?![A-Za-z0-9\x80-\uffff])(?!\.\d)/g;
const SEPARATORS = /[^A-Za-z0-9\x80-\uffff]+$/;
/** Matches the word that some servers write in place of the id of an object without an id. */
const NEW = /(?<![A-Za-z0-9\x80-\uffff])new(?![A-Za-z0-9\x80-\uffff])/;
/** Maximum length of a name in which to look for numbers, in UTF-16 code units. */
const LONGEST = 200;

/**
 * Returns the numbers of one to three digits in a name, except those that letters, digits or
 * decimals adjoin.
 */
export function numbersInName(name: string): NumberInName[] {
  if (name.length > LONGEST) return [];
  return [...name.matchAll(NUMBER)].map(({ 0: value, index: start }) => {
    const end = start + value.length;
    const before = name.slice(0, start);
    return {
      value,
      start,
      end,
      family: before === "" ? `\0${name.slice(end)}` : before,
      title: before.replace(SEPARATORS, ""),
    };
  });
}

/**
 * Reports whether numbers in names are probably positions of rows, because one of them is 0 or 1.
 * Such a number can also be the first id of a new server.
 */
function isFirstPosition(value: string): boolean {
  return value === "0" || value === "1";
}

/** Name and value of a form field. */
export interface FormPair {
  readonly name: string;
  readonly value?: string;
}

/** Short numbers in a form: the names of the fields for ids with these values, by value. */
type Ids = ReadonlyMap<string, readonly string[]>;

/**
 * Collects the names of the form fields of a recording, and decides which short numbers in them may
 * be ids and which are positions of rows. Add all forms before reading the parts of the fields.
 */
export class FormNames {
  /** Families of numbers (`NumberInName.family`) that are probably positions. */
  readonly #positions = new Set<string>();
  /** Names with `new`, as the texts before and after it. */
  readonly #ofNew = new Set<string>();
  /** Names that occur with a number and with `new` in the same form. */
  readonly #mixed = new Set<string>();
  /**
   * Values for which a number in a name was equal to the id in another field of the same form, by
   * the name's pattern and the name of that field.
   */
  readonly #equal = new Map<string, Set<string>>();

  /**
   * Adds a form. Returns a function that creates the field for a name of the form, if the name
   * contains a digit.
   */
  add(form: readonly FormPair[]): (name: string) => RequestField {
    const ids = idsIn(form);
    const numbers = new Map<string, Set<string>>();
    const ofNew = new Set<string>();
    for (const { name } of form) {
      const created = NEW.exec(name);
      if (created !== null) ofNew.add(patternOf(name, created.index, created.index + 3));
      for (const number of numbersInName(name)) {
        if (isFirstPosition(number.value)) this.#positions.add(number.family);
        const pattern = patternOf(name, number.start, number.end);
        const values = numbers.get(pattern);
        if (values === undefined) numbers.set(pattern, new Set([number.value]));
        else values.add(number.value);
      }
    }
    for (const pattern of ofNew) (numbers.has(pattern) ? this.#mixed : this.#ofNew).add(pattern);
    for (const [pattern, values] of numbers) {
      const [value] = values;
      if (values.size === 1) this.#addEqual(pattern, value, ids.get(value) ?? []);
    }
    return (name) =>
      numbersInName(name).length === 0
        ? new RequestField("name", "", name)
        : new NumberedName(name, (number) => this.#nameFor(name, number, ids));
  }

  #addEqual(pattern: string, value: string, names: readonly string[]): void {
    for (const name of names) {
      const key = `${pattern}\0${name}`;
      const known = this.#equal.get(key);
      if (known === undefined) this.#equal.set(key, new Set([value]));
      else known.add(value);
    }
  }

  /**
   * Returns the name of the value that a number in a name probably is. Returns undefined if the
   * number is probably a position.
   *
   * - If the same form sends the number as an id, and the number in the name follows this id,
   *   returns the name of that field. The number follows the id if two forms have different ids,
   *   and each has the number of its id in the name, or if another form has `new` in place of the
   *   number.
   * - Otherwise, returns the text before the number, unless a family of numbers contains 0 or 1.
   */
  #nameFor(name: string, number: NumberInName, ids: Ids): string | undefined {
    if (number.value === "0") return undefined;
    const pattern = patternOf(name, number.start, number.end);
    const isOfNew = this.#ofNew.has(pattern) && !this.#mixed.has(pattern);
    const id = (ids.get(number.value) ?? []).find((id) => {
      const values = this.#equal.get(`${pattern}\0${id}`);
      return values !== undefined && (isOfNew || values.size > 1);
    });
    if (id !== undefined) return id;
    return number.title === "" || this.#positions.has(number.family) ? undefined : number.title;
  }
}

/** The name of a form field, with short numbers that may be ids as its parts. */
class NumberedName extends RequestField {
  readonly #nameFor: (number: NumberInName) => string | undefined;

  constructor(text: string, nameFor: (number: NumberInName) => string | undefined) {
    super("name", "", text);
    this.#nameFor = nameFor;
  }

  override parts(): readonly FieldPart[] {
    return numbersInName(this.value).flatMap((number) => {
      const name = this.#nameFor(number);
      return name === undefined
        ? []
        : [{ start: number.start, end: number.end, name, inPath: false }];
    });
  }
}

/** Maximum number of id fields with the same value to remember for a form. */
const MOST_IDS = 4;

function idsIn(form: readonly FormPair[]): Ids {
  const ids = new Map<string, string[]>();
  for (const { name, value } of form) {
    if (value === undefined || !/^[1-9]\d{0,2}$/.test(value) || !nameHint(name).idLike) continue;
    const names = ids.get(value);
    if (names === undefined) ids.set(value, [name]);
    else if (names.length < MOST_IDS) names.push(name);
  }
  return ids;
}

function patternOf(name: string, start: number, end: number): string {
  return `${name.slice(0, start)}\0${name.slice(end)}`;
}
