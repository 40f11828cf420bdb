import type { Extractor } from "../plan/kinds/extractors/extractors.ts";
import { findBoundary } from "./boundary.ts";
import { type TakeValue, takeWith } from "./compile_extractor.ts";
import { findCookie } from "./cookie.ts";
import { findCss } from "./css.ts";
import type { Find } from "./find.ts";
import { findHeader } from "./header.ts";
import { decodeHtml } from "./parse_html.ts";
import { findJsonPath } from "./jsonpath.ts";
import { findRegex } from "./regex.ts";
import { chainTransforms } from "./compile_transforms.ts";

/** Extractor without its name, of any type that `convert` writes. */
export type NamelessExtractor = Exclude<Extractor, { type: "xpath" }> extends infer E
  ? E extends Extractor ? Omit<E, "name"> : never
  : never;

/** Compiles an extractor synchronously. Otherwise it does the same as `compileExtractor`. */
export function compileNow(extractor: NamelessExtractor): TakeValue {
  const { transform } = extractor;
  const change = transform && chainTransforms(transform, decodeHtml);
  return takeWith(extractor, findFor(extractor), change);
}

function findFor(extractor: NamelessExtractor): Find {
  switch (extractor.type) {
    case "jsonpath":
      return findJsonPath(extractor.expression);
    case "css":
      return findCss(extractor.expression, extractor.attribute);
    case "regex":
      return findRegex(extractor.expression, extractor.group ?? 1);
    case "boundary":
      return findBoundary(extractor.left, extractor.right);
    case "header":
      return findHeader(extractor.header, extractor.expression);
    case "cookie":
      return findCookie(extractor.cookie);
  }
}
