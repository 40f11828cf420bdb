import type { ExtractorKind } from "../plan/kinds/extractors/extractors.ts";
import { boundary } from "./boundary.ts";
import { cookie } from "./cookie.ts";
import { css } from "./css.ts";
import type { ExtractorOf, ExtractorRuntime, Find } from "./extractor_runtime.ts";
import { type TakeValue, takeWith } from "./extractors.ts";
import { header } from "./header.ts";
import { jsonpath } from "./jsonpath.ts";
import { decodeHtml } from "./parse_html.ts";
import { regex } from "./regex.ts";
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

/** Compiles an extractor like `compileExtractor`, but synchronously. */
export function compileNow(extractor: NamelessExtractor): TakeValue {
  const { transform } = extractor;
  const change = transform && chainTransforms(transform, decodeHtml);
  return takeWith(extractor, findNow(extractor.type, extractor), change);
}

function findNow<K extends WrittenKind>(kind: K, extractor: ExtractorOf<K>): Find {
  return KINDS[kind].find(extractor);
}
