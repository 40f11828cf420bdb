import { isNumber } from "../../base/exact_number.ts";
import { random } from "../../base/random.ts";
import { compileExtractor, type NamelessExtractor } from "../../extract/extractors.ts";
import { leafText } from "../../traffic/session/json_tree.ts";
import type { ResponseSnapshot } from "./response_snapshot.ts";

/** A response, and the value that an extractor must return from it. */
export interface ExpectedValue {
  readonly response: ResponseSnapshot;
  readonly value: string;
}

/** An extractor that returns the expected values. */
export interface TestedExtractor {
  readonly extractor: NamelessExtractor;
  /** True if the extractor returns JSON numbers. */
  readonly numeric: boolean;
}

/** Random number generator that extractors require. The extractors tested here never use it. */
const RANDOM = random(1);
/** Highest zero-based index of a match that is tried. */
const MOST_MATCHES = 50;

/**
 * Returns the first proposed extractor that returns the expected value from every response. Tests
 * extractors with the same code as a run. Prefers extractors whose first match is the value to
 * those that need an index.
 */
export function firstWorking(
  proposed: readonly NamelessExtractor[],
  expected: readonly ExpectedValue[],
): TestedExtractor | undefined {
  for (const extractor of proposed) {
    const found = test(extractor, expected);
    if (found !== undefined) return found;
  }
  for (const extractor of proposed) {
    const index = commonIndex(extractor, expected);
    const found = index === undefined ? undefined : test({ ...extractor, index }, expected);
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Returns the same as `firstWorking`, but with a transform that converts the value to a number, if
 * `needsNumber` is true and the value allows it.
 */
export function firstWorkingFor(
  needsNumber: boolean,
  proposed: readonly NamelessExtractor[],
  expected: readonly ExpectedValue[],
): TestedExtractor | undefined {
  const tested = firstWorking(proposed, expected);
  if (tested === undefined || tested.numeric || !needsNumber) return tested;
  return firstWorking([withTransform(tested.extractor, "number")], expected) ?? tested;
}

function test(
  extractor: NamelessExtractor,
  expected: readonly ExpectedValue[],
): TestedExtractor | undefined {
  const found = expected.map(({ response }) => extractValue(extractor, response));
  const isRight = found.every((value, i) => leafText(value) === expected[i].value);
  return isRight ? { extractor, numeric: found.every(isNumber) } : undefined;
}

/**
 * Returns the index of the expected value among the matches in each response. Returns undefined if
 * the index is not the same in all responses.
 */
function commonIndex(
  extractor: NamelessExtractor,
  expected: readonly ExpectedValue[],
): number | undefined {
  const indexes = expected.map(({ response, value }) => {
    const all = extractValue({ ...extractor, index: "all" }, response);
    return Array.isArray(all) ? all.findIndex((one) => leafText(one) === value) : -1;
  });
  const [first] = indexes;
  const isCommon = first > 0 && first <= MOST_MATCHES && indexes.every((index) => index === first);
  return isCommon ? first : undefined;
}

/**
 * Extracts a value from a response. If the extractor searches only one row of a list, `row` is the
 * string that identifies this row. Returns undefined if nothing matches or the extractor fails.
 */
export function extractValue(
  extractor: NamelessExtractor,
  { view }: ResponseSnapshot,
  row?: string,
): unknown {
  try {
    return compileExtractor(extractor).take(view, RANDOM, row);
  } catch {
    return undefined;
  }
}

/** Returns a copy of an extractor that also applies `transform`, after its own transforms. */
export function withTransform(
  extractor: TestedExtractor["extractor"],
  transform: "number" | "url_decode",
): TestedExtractor["extractor"] {
  return { ...extractor, transform: [...extractor.transform ?? [], transform] };
}
