import type * as z from "zod";
import { unionOf } from "../../values/schema_walk.ts";
import { boundary } from "./boundary.ts";
import { cookie } from "./cookie.ts";
import { css } from "./css.ts";
import { header } from "./header.ts";
import { jsonpath } from "./jsonpath.ts";
import { regex } from "./regex.ts";
import { xpath } from "./xpath.ts";
import type { ExtractorVariant } from "./extractor.ts";

/** All kinds of extractors, by `type`. The docs list them in this order. */
export const EXTRACTORS = {
  jsonpath,
  regex,
  css,
  xpath,
  boundary,
  header,
  cookie,
} satisfies Readonly<Record<string, ExtractorVariant>>;

export type ExtractorKind = keyof typeof EXTRACTORS;

/**
 * The schema of an extractor, which stores a value from a response as `${name}` for later steps of
 * the same VU.
 */
export const extractor = unionOf("type", EXTRACTORS).meta({ id: "extractor" });

export type Extractor = z.infer<typeof extractor>;
