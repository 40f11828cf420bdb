import type { Random } from "../base/random.ts";
import { asText } from "../base/exact_json.ts";
import type { Extractor, ExtractorKind } from "../plan/kinds/extractors/extractors.ts";
import type { ExtractorOf, ExtractorRuntime, Find, FindLocated } from "./extractor_runtime.ts";
import type { PartsRead, ResponseView } from "./response_view.ts";
import type { findInRow } from "./row_match.ts";
import { type Change, compileTransforms } from "./transforms.ts";

/**
 * Functions that load the runtime implementation of each kind of extractor on demand, because some
 * kinds need a large library.
 */
const LOAD: { readonly [K in ExtractorKind]: () => Promise<ExtractorRuntime<K>> } = {
  jsonpath: async () => (await import("./jsonpath.ts")).jsonpath,
  regex: async () => (await import("./regex.ts")).regex,
  css: async () => (await import("./css.ts")).css,
  xpath: async () => (await import("./xpath.ts")).xpath,
  boundary: async () => (await import("./boundary.ts")).boundary,
  header: async () => (await import("./header.ts")).header,
  cookie: async () => (await import("./cookie.ts")).cookie,
};

/** Compiled extractor of any kind. */
export interface CompiledExtractor {
  readonly reads: PartsRead;
  readonly take: TakeValue;
}

/**
 * Extracts a value from a response. `row` is the value of the extractor's option `row`, with its
 * expressions evaluated, if the option is set. If nothing matches, returns the extractor's default,
 * or undefined if it has no default. Throws an Error if the body cannot be decoded, a transform
 * fails, or several rows match `row`.
 */
export type TakeValue = (response: ResponseView, random: Random, row?: string) => unknown;

/** Functions that find the values of an extractor in the list row that its `row` option selects. */
export interface RowSearch {
  readonly findInRow: typeof findInRow;
  /**
   * Finds values and their locations in JSON bodies. Undefined for extractors that do not read
   * JSON.
   */
  readonly locate: FindLocated | undefined;
}

/** Compiles an extractor. Loads the HTML or JSONPath parser only if the extractor needs it. */
export async function compileExtractor(extractor: Extractor): Promise<CompiledExtractor> {
  const { reads, find, locate } = await compileKind(extractor.type, extractor);
  const change = extractor.transform ? await compileTransforms(extractor.transform) : undefined;
  const rows = rowTemplate(extractor) === undefined
    ? undefined
    : { findInRow: (await import("./row_match.ts")).findInRow, locate };
  return { reads, take: takeWith(extractor, find, change, rows) };
}

/** Returns the `row` option of an extractor, or undefined if the extractor does not have it. */
export function rowTemplate(extractor: Omit<Extractor, "name">): string | undefined {
  return "row" in extractor ? extractor.row as string | undefined : undefined;
}

async function compileKind<K extends ExtractorKind>(kind: K, extractor: ExtractorOf<K>) {
  const runtime = await LOAD[kind]();
  return {
    reads: runtime.reads,
    find: runtime.find(extractor),
    locate: runtime.locate?.(extractor),
  };
}

/**
 * Returns a function that selects one or all of the matches of `find`, as specified by the option
 * `index`, and transforms them with `change`. If nothing matches, the function returns the option
 * `default`. If `rows` is given, the function considers only the matches in the row that contains
 * the text in its argument `row`.
 */
export function takeWith(
  { index, default: fallback }: Pick<Extractor, "index" | "default">,
  find: Find,
  change: Change | undefined,
  rows?: RowSearch,
): TakeValue {
  const isAnyRow = index !== undefined;
  return (response, random, row) => {
    const matches = rows === undefined || row === undefined
      ? find(response)
      : rows.findInRow(response, row, { find, locate: rows.locate, isAnyRow });
    const found = pick(matches, index ?? "first", random);
    if (found === undefined) return fallback;
    return change ? applyChange(found, change) : found;
  };
}

function pick(found: Iterable<unknown>, index: NonNullable<Extractor["index"]>, random: Random) {
  if (index === "first") {
    for (const value of found) return value;
    return undefined;
  }
  const all = [...found];
  if (index === "all") return all.length > 0 ? all : undefined;
  if (index === "random") return all.length > 0 ? all[random.int(0, all.length - 1)] : undefined;
  return all.at(index === "last" ? -1 : index);
}

function applyChange(value: unknown, change: Change): unknown {
  return Array.isArray(value) ? value.map((item) => change(asText(item))) : change(asText(value));
}
