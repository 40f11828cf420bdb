import type { Random } from "../base/random.ts";
import { asText } from "../base/exact_json.ts";
import type { Extractor } from "../plan/kinds/extractors/extractors.ts";
import { findBoundary } from "./boundary.ts";
import { findCookie } from "./cookie.ts";
import type { Find } from "./find.ts";
import { findHeader } from "./header.ts";
import { findRegex } from "./regex.ts";
import type { ResponseView } from "./response_view.ts";
import { type Change, compileTransforms } from "./compile_transforms.ts";

/**
 * Extracts a value from a response. Returns the extractor's default if nothing is found, or
 * undefined if there is no default. Throws an Error if the body cannot be decoded or a transform
 * fails.
 */
export type TakeValue = (response: ResponseView, random: Random) => unknown;

/** Returns the parts of a response that an extractor reads. */
export function extractorNeeds({ type }: Extractor): { headers: boolean; body: boolean } {
  return { headers: type === "header", body: type !== "header" && type !== "cookie" };
}

/** Compiles an extractor. Loads the HTML and JSONPath parsers only if it needs them. */
export async function compileExtractor(extractor: Extractor): Promise<TakeValue> {
  const find = await compileFind(extractor);
  const change = extractor.transform ? await compileTransforms(extractor.transform) : undefined;
  return takeWith(extractor, find, change);
}

/** Combines `find` and `change` with the options `index` and `default` of an extractor. */
export function takeWith(
  { index = "first", default: fallback }: Pick<Extractor, "index" | "default">,
  find: Find,
  change: Change | undefined,
): TakeValue {
  return (response, random) => {
    const found = pick(find(response), index, random);
    if (found === undefined) return fallback;
    return change ? applyChange(found, change) : found;
  };
}

async function compileFind(extractor: Extractor): Promise<Find> {
  switch (extractor.type) {
    case "jsonpath":
      return (await import("./jsonpath.ts")).findJsonPath(extractor.expression);
    case "css":
      return (await import("./css.ts")).findCss(extractor.expression, extractor.attribute);
    case "xpath":
      return (await import("./xpath.ts")).findXPath(extractor.expression);
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
