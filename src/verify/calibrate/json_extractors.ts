import { ExactNumber, isMap } from "../../base/exact_number.ts";
import type { NamelessExtractor } from "../../extract/extractors.ts";

/** Path to a part of a JSON value: the names and indexes that lead to it from the root. */
export type JsonSteps = readonly (string | number)[];

const SHORTHAND = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Maximum length of a value in a filter, in UTF-16 code units. */
const LONGEST = 100;

/**
 * Proposes JSONPath extractors for the value at `path`, best first: without an index, with a filter
 * on a member that identifies the item in both bodies, then with an index from the start or the
 * end. In a list such as `["created", {"id": 7}]`, proposes only the index.
 */
export function jsonExtractors(
  path: JsonSteps,
  recorded: unknown,
  live: unknown,
): NamelessExtractor[] {
  const last = path.findLastIndex((step) => typeof step === "number");
  if (last < 0) return [jsonPath(formatPath(path))];
  const start = path.slice(0, last);
  const rest = path.slice(last + 1);
  const list = follow(recorded, start);
  const index = path[last] as number;
  if (!Array.isArray(list)) return [];
  if (isTuple(list, index)) return [jsonPath(formatPath(path))];
  return [
    ...filters(list, index, follow(live, start), rest[0]).map((filter) =>
      jsonPath(formatPath(start) + filter + formatPath(rest).slice(1))
    ),
    jsonPath(formatPath(path)),
    jsonPath(`${formatPath(start)}[${index - list.length}]${formatPath(rest).slice(1)}`),
  ];
}

/**
 * Reports whether the map at `index` is identified by its position, as in `["created", {"name":
 * "Lamp"}]`, because the list also contains a string, a number or a boolean.
 */
function isTuple(list: readonly unknown[], index: number): boolean {
  const isScalar = (item: unknown) => item !== null && typeof item !== "object";
  return isMap(list[index]) && list.some(isScalar);
}

function jsonPath(expression: string): NamelessExtractor {
  return { type: "jsonpath", expression };
}

/**
 * Returns filters such as `[?@.name=='x']` that select exactly one item in both the recorded and
 * the live list.
 */
function filters(
  list: readonly unknown[],
  index: number,
  live: unknown,
  sought: string | number | undefined,
): string[] {
  const item = list[index];
  if (!isMap(item) || !Array.isArray(live)) return [];
  return Object.entries(item).flatMap(([name, value]) => {
    if (name === sought || !isTelling(value)) return [];
    const selects = (one: unknown) => isMap(one) && one[name] === value;
    if (list.filter(selects).length !== 1 || live.filter(selects).length !== 1) return [];
    return [`[?@${formatPath([name]).slice(1)}==${literalOf(value)}]`];
  });
}

function isTelling(value: unknown): value is string | number {
  if (typeof value === "string") {
    return value.length > 0 && value.length <= LONGEST && !/[\p{Cc}\p{Cs}]/u.test(value);
  }
  return typeof value === "number" && Number.isSafeInteger(value);
}

function literalOf(value: string | number): string {
  return typeof value === "number" ? String(value) : `'${value.replace(/['\\]/g, "\\$&")}'`;
}

/** Formats a path as a JSONPath expression, such as `$.items[0]['odd name']`. */
export function formatPath(path: JsonSteps): string {
  return "$" + path.map((step) => {
    if (typeof step === "number") return `[${step}]`;
    return SHORTHAND.test(step) ? `.${step}` : `[${literalOf(step)}]`;
  }).join("");
}

/** Returns the value at a path, or undefined if there is no value. */
export function follow(value: unknown, path: JsonSteps): unknown {
  let at = value;
  for (const step of path) {
    if (typeof at !== "object" || at === null || at instanceof ExactNumber) return undefined;
    if (!Object.hasOwn(at, step)) return undefined;
    at = (at as Record<string | number, unknown>)[step];
  }
  return at;
}
