import { parseTemplate } from "../plan/text/template.ts";
import type { ExtractorKind } from "../plan/kinds/extractors/extractors.ts";
import { boundary } from "./boundary.ts";
import { cookie } from "./cookie.ts";
import { css } from "./css.ts";
import type { ExtractorOf, ExtractorRuntime } from "./extractor_runtime.ts";
import { rowTemplate, type TakeValue, takeWith } from "./extractors.ts";
import { header } from "./header.ts";
import { jsonpath } from "./jsonpath.ts";
import { decodeHtml } from "./parse_html.ts";
import { regex } from "./regex.ts";
import { findInRow } from "./row_match.ts";
import { chainTransforms } from "./transforms.ts";

/** Kind of extractor that `convert` can write to a plan. */
export type WrittenKind = Exclude<ExtractorKind, "xpath">;

/** Extractor without its name, of any kind that `convert` writes. */
export type NamelessExtractor = { [K in WrittenKind]: ExtractorOf<K> }[WrittenKind];

/**
 * Runtime implementation of each kind of extractor that `convert` writes. Unlike `extractors.ts`,
 * this module loads all of them when it is imported.
 */
const KINDS: { readonly [K in WrittenKind]: ExtractorRuntime<K> } = {
  jsonpath,
  css,
  regex,
  boundary,
  header,
  cookie,
};

/**
 * Compiles an extractor synchronously, unlike `compileExtractor`. If its `row` option contains no
 * expressions, the compiled function uses the text of `row` by default.
 */
export function compileNow(extractor: NamelessExtractor): TakeValue {
  const { transform } = extractor;
  const row = rowTemplate(extractor);
  const change = transform && chainTransforms(transform, decodeHtml);
  const { find, locate } = compileKind(extractor.type, extractor);
  if (row === undefined) return takeWith(extractor, find, change);
  const take = takeWith(extractor, find, change, { findInRow, locate });
  const [part, ...more] = parseTemplate(row);
  const fixed = part.kind === "text" && more.length === 0 ? part.text : undefined;
  return (response, random, text = fixed) => take(response, random, text);
}

function compileKind<K extends WrittenKind>(kind: K, extractor: ExtractorOf<K>) {
  const { find, locate } = KINDS[kind];
  return { find: find(extractor), locate: locate?.(extractor) };
}
