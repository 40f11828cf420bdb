import type { Random } from "../base/random.ts";
import { asText } from "../base/exact_json.ts";
import type { Extractor, ExtractorKind } from "../plan/kinds/extractors/extractors.ts";
import { parseTemplate } from "../plan/text/template.ts";
import { boundary } from "./boundary.ts";
import { cookie } from "./cookie.ts";
import { css } from "./css.ts";
import type { ExtractorOf, ExtractorRuntime } from "./extractor_runtime.ts";
import { header } from "./header.ts";
import { jsonpath } from "./jsonpath.ts";
import { regex } from "./regex.ts";
import type { PartsRead, ResponseView } from "./response_view.ts";
import { findInRow } from "./row_match.ts";
import { chainTransforms, type Change } from "./transforms.ts";
import { xpath } from "./xpath.ts";

/** Extractor of any kind, without the name of its variable. */
export type NamelessExtractor = { [K in ExtractorKind]: ExtractorOf<K> }[ExtractorKind];

/** Runtime implementation of each kind of extractor. */
const KINDS: { readonly [K in ExtractorKind]: ExtractorRuntime<K> } = {
  jsonpath,
  regex,
  css,
  xpath,
  boundary,
  header,
  cookie,
};

/** Compiled extractor of any kind. */
export interface CompiledExtractor {
  readonly reads: PartsRead;
  readonly take: TakeValue;
}

/**
 * Extracts a value from a response. `row` is the value of the extractor's option `row`, with its
 * expressions evaluated, if the option is set. It can be omitted if the option contains no
 * expressions. If nothing matches, returns the extractor's default, or undefined if it has no
 * default. Throws an Error if the body cannot be decoded, a transform fails, or several rows match
 * `row`.
 */
export type TakeValue = (response: ResponseView, random: Random, row?: string) => unknown;

/** Compiles an extractor. */
export function compileExtractor(extractor: NamelessExtractor): CompiledExtractor {
  const { index, default: fallback, transform } = extractor;
  const { reads, find, locate } = compileKind(extractor.type, extractor);
  const change = transform && chainTransforms(transform);
  const template = rowTemplate(extractor);
  const fixed = template && fixedText(template);
  return {
    reads,
    take: (response, random, row = fixed) => {
      const matches = template === undefined || row === undefined
        ? find(response)
        : findInRow(response, row, { find, locate, isAnyRow: index !== undefined });
      const found = pick(matches, index ?? "first", random);
      if (found === undefined) return fallback;
      return change ? applyChange(found, change) : found;
    },
  };
}

/** Returns the `row` option of an extractor, or undefined if the extractor does not have it. */
export function rowTemplate(extractor: NamelessExtractor): string | undefined {
  return "row" in extractor ? extractor.row : undefined;
}

/** Returns the text of a template, or undefined if it contains expressions. */
function fixedText(template: string): string | undefined {
  const [part, ...more] = parseTemplate(template);
  return part.kind === "text" && more.length === 0 ? part.text : undefined;
}

function compileKind<K extends ExtractorKind>(kind: K, extractor: ExtractorOf<K>) {
  const { reads, find, locate } = KINDS[kind];
  return { reads, find: find(extractor), locate: locate?.(extractor) };
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
