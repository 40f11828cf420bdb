import { isMap } from "../base/exact_number.ts";
import type { NamelessExtractor } from "../extract/extractors.ts";
import { valueAt } from "../extract/jsonpath.ts";
import { literal } from "../plan/text/template.ts";
import { looksGenerated } from "../traffic/session/dynamic_value.ts";
import type { Known } from "./propose_text.ts";
import type { JsonPath } from "./views.ts";

/** Members that name an object, in order of preference. */
export const NAMING: readonly string[] = [
  ...["name", "slug", "title", "label", "key", "username", "login"],
];
/** Members whose values let a person identify an item of a list, in order of preference. */
const IDENTIFYING = [...NAMING, "type", "kind", "rel"];
/** Members of a list item that can be objects with an identifying member. */
const HOLDERS = ["node", "attributes"];
/** Matches the form of a string that is probably the same on other servers. */
const STABLE = /^\p{L}[\p{L}\p{N} ._-]{0,59}$/u;
const LONGEST_FILTER = 120;

/** A selector of one item of a list, and the same item in each of the compared bodies. */
interface ItemSelector {
  readonly text: string;
  /** String for the `row` option of the extractor, which then selects the item. */
  readonly row?: string;
  readonly items: readonly unknown[];
}

/** The start of a path, and what it leads to in each of the compared bodies. */
interface PathStart {
  readonly text: string;
  readonly row?: string | undefined;
  readonly nodes: readonly unknown[];
  /** False if the path depends on the position of the last item on it. */
  readonly isStable: boolean;
}

/**
 * Proposes JSONPath extractors for the value at `path` that do not depend on the position of an
 * item in a list, or on the name of a member if the name changes, best first. Each item is selected
 * by a member that identifies it: one that the user typed, or one that all `bodies` contain exactly
 * once. A single body cannot show what is constant; members such as `name` then count if their text
 * consists of words. `path` is the path in the first body.
 */
export function stablePaths(
  path: JsonPath,
  bodies: readonly unknown[],
  known: Known,
): Generator<NamelessExtractor> {
  return pathsFrom({ text: "$", nodes: bodies, isStable: true }, path, known);
}

function* pathsFrom(
  start: PathStart,
  [step, ...rest]: JsonPath,
  known: Known,
): Generator<NamelessExtractor> {
  const { text, nodes, isStable } = start;
  if (step === undefined) {
    if (isStable) yield jsonPath(text, start.row);
    return;
  }
  const named = stepInto(start, step);
  if (isName(step, nodes, known)) return yield* pathsFrom(named, rest, known);
  const selectors = itemSelectors(nodes, step, rest[0], known);
  if (selectors.length === 0) yield* pathsFrom({ ...named, isStable: false }, rest, known);
  // Only the last item is selected in several ways.
  const isLast = !rest.some((step) => typeof step === "number");
  for (const selector of selectors.slice(0, isLast ? undefined : 1)) {
    const item = {
      text: text + selector.text,
      row: selector.row ?? start.row,
      nodes: selector.items,
      isStable: true,
    };
    const [column] = rest;
    // In an item that is a list, a position is the column of a table.
    if (typeof column !== "number") yield* pathsFrom(item, rest, known);
    else yield* pathsFrom(stepInto(item, column), rest.slice(1), known);
  }
}

function stepInto(start: PathStart, step: string | number): PathStart {
  return {
    ...start,
    text: start.text + formatPath([step]).slice(1),
    nodes: start.nodes.map((node) => valueAt(node, [step])),
  };
}

/**
 * Proposes extractors for the name of a member, whose value identifies it, best first. `path` is
 * the path of the member in the first body.
 */
export function* keyPaths(
  path: JsonPath,
  bodies: readonly unknown[],
  known: Known,
): Generator<NamelessExtractor> {
  const parent = path.slice(0, -1);
  const nodes = bodies.map((body) => valueAt(body, parent));
  for (const { text, row } of itemSelectors(nodes, path.at(-1)!, undefined, known)) {
    yield { ...jsonPath(formatPath(parent) + text, row), take: "key" } as NamelessExtractor;
  }
}

/**
 * Reports whether a step of a path is the name of a member that does not change. In a list such as
 * `["created", {"id": 7}]`, the position of an item is its name.
 */
function isName(step: string | number, nodes: readonly unknown[], known: Known): boolean {
  return typeof step === "number"
    ? isTuple(nodes[0], step) || isOnlyItem(nodes, known)
    : !known.changing(step) && nodes.every((node) => isMap(node) && Object.hasOwn(node, step));
}

/**
 * Proposes JSONPath extractors by the positions of list items: as recorded, and, if other responses
 * can show that it is right, counted from the end.
 */
export function* positionPaths(
  path: JsonPath,
  bodies: readonly unknown[],
): Generator<NamelessExtractor> {
  const last = path.findLastIndex((step) => typeof step === "number");
  if (last < 0) return;
  yield jsonPath(formatPath(path));
  const list = valueAt(bodies[0], path.slice(0, last));
  if (bodies.length < 2 || !Array.isArray(list)) return;
  const fromEnd = (path[last] as number) - list.length;
  yield jsonPath(formatPath([...path.slice(0, last), fromEnd, ...path.slice(last + 1)]));
}

function jsonPath(expression: string, row?: string): NamelessExtractor {
  return { type: "jsonpath", expression, ...(row !== undefined && { row: literal(row) }) };
}

/**
 * Reports whether a list contains scalars next to the object at `index`, or strings next to
 * numbers.
 */
function isTuple(list: unknown, index: number): boolean {
  if (!Array.isArray(list)) return false;
  const isString = (item: unknown) => typeof item === "string";
  return isMap(list[index])
    ? list.some((item) => item !== null && typeof item !== "object")
    : typeof list[index] !== "object" && list.some(isString) && !list.every(isString);
}

/** Reports whether lists contain only one item each, which is a scalar or what a request wrote. */
function isOnlyItem(lists: readonly unknown[], known: Known): boolean {
  return lists.every((list) =>
    Array.isArray(list) && list.length === 1 &&
    (typeof list[0] !== "object" ||
      known.isReply?.(tellingMembers(list[0]).map(([, value]) => value).toArray()))
  );
}

/**
 * Returns the selectors of an item of the first list, best first. An object whose names change is a
 * list of its members. `sought` is the member of the item that contains the value to extract.
 */
function itemSelectors(
  nodes: readonly unknown[],
  step: string | number,
  sought: string | number | undefined,
  known: Known,
): ItemSelector[] {
  const lists = nodes.map((node) => isMap(node) ? Object.values(node) : node);
  if (!lists.every(Array.isArray)) return [];
  const item = valueAt(nodes[0], [step]);
  if (typeof step === "string" && lists.every(({ length }) => length === 1)) {
    return [{ text: "[*]", items: lists.map(([only]) => only) }];
  }
  const ranked: { readonly selector: ItemSelector; readonly rank: number }[] = [];
  for (const [path, value] of tellingMembers(item)) {
    const name = path.at(-1)!;
    const isWhole = typeof value === "string" && known.typed(value);
    const isTyped = isWhole || typeof value === "string" && known.joined?.(value) === true;
    const rank = typeof name === "number" ? IDENTIFYING.length : IDENTIFYING.indexOf(name);
    const isProbable = rank >= 0 && STABLE.test(String(value)) && !looksGenerated(String(value));
    if (path.length === 1 && name === sought || known.changing(String(value))) continue;
    if (!isTyped && (lists.length > 1 ? path.length > 1 && rank < 0 : !isProbable)) continue;
    const items = lists.map((list) => onlyItem(list, path, value));
    if (items.includes(undefined)) continue;
    const filter = `[?@${formatPath(path).slice(1)}==${literalOf(value)}]`;
    ranked.push({
      selector: isTyped ? { text: "[*]", row: value, items } : { text: filter, items },
      rank: isWhole ? -2 : isTyped ? -1 : rank < 0 ? IDENTIFYING.length : rank,
    });
  }
  return ranked.sort((a, b) => a.rank - b.rank).map(({ selector }) => selector);
}

/** The items of lists by the values of their members. Undefined if several items have a value. */
const indexes = new WeakMap<readonly unknown[], Map<string, ReadonlyMap<unknown, unknown>>>();

/** Returns the only item of a list with a value at a path, or undefined. */
function onlyItem(list: readonly unknown[], path: JsonPath, value: unknown): unknown {
  const byPath = indexes.getOrInsertComputed(list, () => new Map());
  return byPath.getOrInsertComputed(path.join("\0"), () => {
    const items = new Map<unknown, unknown>();
    for (const item of list) {
      const own = valueAt(item, path);
      items.set(own, items.has(own) ? undefined : item);
    }
    return items;
  }).get(value);
}

/** Yields the members of a list item that a filter can compare, with their paths in the item. */
function* tellingMembers(
  item: unknown,
): Generator<[path: (string | number)[], value: string | number]> {
  for (const [index, value] of Array.isArray(item) ? item.entries() : []) {
    if (isTelling(value)) yield [[index], value];
  }
  for (const holder of [[], ...HOLDERS.map((name) => [name])]) {
    const members = valueAt(item, holder);
    for (const [name, value] of isMap(members) ? Object.entries(members) : []) {
      if (isTelling(value)) yield [[...holder, name], value];
      // The cells of a row.
      for (const [index, cell] of Array.isArray(value) ? value.entries() : []) {
        if (isTelling(cell)) yield [[...holder, name, index], cell];
      }
    }
  }
}

function isTelling(value: unknown): value is string | number {
  if (typeof value === "string") {
    return value.length > 0 && value.length <= LONGEST_FILTER && !/[\p{Cc}\p{Cs}]/u.test(value);
  }
  return typeof value === "number" && Number.isSafeInteger(value);
}

const SHORTHAND = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Formats a string or a number as a literal of a JSONPath expression. */
export function literalOf(value: string | number): string {
  if (typeof value === "number") return String(value);
  const escaped = JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"');
  return `'${escaped.replaceAll("'", "\\'")}'`;
}

/** Formats a path as a JSONPath expression (RFC 9535), such as `$.items[0]['odd name']`. */
export function formatPath(path: JsonPath): string {
  return "$" + path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return SHORTHAND.test(step) ? `.${step}` : `[${literalOf(step)}]`;
  }).join("");
}
