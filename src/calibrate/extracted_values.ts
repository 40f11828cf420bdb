import { rowTemplate } from "../extract/extractors.ts";
import { isNumber } from "../base/exact_number.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import type { Request } from "../plan/kinds/request.ts";
import { alignResponses } from "../correlation/align.ts";
import { KnownPairs } from "../correlation/known_pairs.ts";
import { type ValuePair, wholeText } from "../correlation/value_pair.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { isWeak } from "./learnable_pairs.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";
import { extractValue } from "../correlation/try_extractor.ts";

/** A value that the plan already extracts, and whose live value differs from the recorded value. */
export interface ExtractedValue {
  readonly extractor: Extractor;
  /**
   * Pairs of the recorded and the live value that the extractor returns: one pair for each position
   * in the responses where the two values occur.
   */
  readonly pairs: readonly ValuePair[];
  /** True if the extractor returns JSON numbers. */
  readonly numeric: boolean;
}

/**
 * Applies the extractors of a request to the recorded and the live response, and returns the values
 * that differ. Ignores XPath extractors, extractors that choose a match at random or search one row
 * of a list, and variables that the request sets more than once. Also ignores a recorded value if
 * `known` maps it to a different live value.
 */
export function findExtractedValues(
  { extract = [] }: Request,
  recorded: ResponseSnapshot,
  { response, known }: { readonly response: ResponseSnapshot; readonly known: KnownPairs },
): ExtractedValue[] {
  let aligned: ValuePair[] | undefined;
  return extract.flatMap((written): ExtractedValue[] => {
    const { name, default: _, ...extractor } = written as Extractor & { default?: unknown };
    if (extractor.type === "xpath" || rowTemplate(extractor) !== undefined) return [];
    if ("index" in extractor && extractor.index === "random") return [];
    if (extract.some((other) => other !== written && other.name === name)) return [];
    const values = [recorded, response].map((one) => extractValue(extractor, one));
    const [text, live] = values.map((value) => leafText(value) ?? "");
    if (text === "" || live === "" || text === live) return [];
    if ((known.liveOf(text) ?? live) !== live) return [];
    aligned ??= alignResponses(recorded, response, new KnownPairs());
    const found = aligned.filter((pair) => pair.recorded === text && pair.live === live);
    const pairs = found.length > 0 ? found : unplaced(text, live, name, recorded);
    return pairs.length === 0
      ? []
      : [{ extractor: written, pairs, numeric: values.every(isNumber) }];
  });
}

/**
 * Returns a pair for a value that an extractor of the plan found, but that the comparison of the
 * responses did not find, so that its place is unknown. Returns an empty list if the value is not
 * distinctive, because it cannot be recognized without the name of its place.
 */
function unplaced(
  recorded: string,
  live: string,
  name: string,
  response: ResponseSnapshot,
): ValuePair[] {
  if (isWeak(recorded)) return [];
  const at = wholeText(response, recorded, name, { kind: "header", name: "" });
  return [{ recorded, live, at, liveAt: at, name, mayMove: true }];
}
