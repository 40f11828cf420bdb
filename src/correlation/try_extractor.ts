import { isNumber } from "../base/exact_number.ts";
import { random } from "../base/random.ts";
import { compileExtractor, type NamelessExtractor, rowTemplate } from "../extract/extractors.ts";
import type { ResponseView } from "../extract/response_view.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { RecordedView } from "../traffic/session/recorded_view.ts";
import type { Response } from "./views.ts";

/** A response, and the text that an extractor must return from it. */
export type Sample = readonly [response: Response, expected: string];

/** An extractor that returns the expected values; JSON numbers if it is `numeric`. */
export interface TestedExtractor {
  readonly extractor: NamelessExtractor;
  readonly numeric: boolean;
}

/** Random number generator that extractors require. The extractors tested here never use it. */
const RANDOM = random(1);
const MOST_MATCHES = 50;
/**
 * Number of responses whose parsed bodies are kept, because tests of a step alternate between them.
 */
const MOST_VIEWS = 4;

const views: (readonly [Response, ResponseView])[] = [];

/** Returns a response as the extractors of a run read it. */
export function readable(response: Response): ResponseView {
  if (response.view !== undefined) return response.view;
  const known = views.find(([viewed]) => viewed === response);
  if (known !== undefined) return known[1];
  const view = new RecordedView(response);
  if (views.unshift([response, view]) > MOST_VIEWS) views.pop();
  return view;
}

/**
 * Extracts a value from a response. If the extractor searches only one row of a list, `row` is the
 * string that identifies this row; it can be omitted if the option contains no expressions. Returns
 * undefined if nothing matches or the extractor fails.
 */
export function extractValue(
  extractor: NamelessExtractor,
  response: Response,
  row?: string,
): unknown {
  try {
    return compileExtractor(extractor).take(readable(response), RANDOM, row);
  } catch {
    return undefined;
  }
}

/**
 * Returns the first proposed extractor that returns the expected text from each response. Tests
 * extractors with the same code as a run. Prefers extractors whose first match is the value to
 * those that need an index, which must be the same in all responses.
 */
export function firstWorking(
  proposed: Iterable<NamelessExtractor>,
  samples: readonly Sample[],
): TestedExtractor | undefined {
  const failed: NamelessExtractor[] = [];
  for (const extractor of proposed) {
    const tested = test(extractor, samples);
    if (tested !== undefined) return tested;
    failed.push(extractor);
  }
  for (const extractor of failed) {
    const index = commonIndex(extractor, samples);
    const tested = index === undefined ? undefined : test({ ...extractor, index }, samples);
    if (tested !== undefined) return tested;
  }
  return undefined;
}

/**
 * Returns the same as `firstWorking`, but with a transform that converts the value to a number, if
 * `needsNumber` is true and the value allows it.
 */
export function firstWorkingFor(
  needsNumber: boolean,
  proposed: Iterable<NamelessExtractor>,
  samples: readonly Sample[],
): TestedExtractor | undefined {
  const tested = firstWorking(proposed, samples);
  if (tested === undefined || tested.numeric || !needsNumber) return tested;
  return test(withTransform(tested.extractor, "number"), samples) ?? tested;
}

function test(
  extractor: NamelessExtractor,
  samples: readonly Sample[],
): TestedExtractor | undefined {
  let numeric = true;
  for (const [response, expected] of samples) {
    const value = extractValue(extractor, response);
    if (leafText(value) !== expected) return undefined;
    numeric &&= isNumber(value);
  }
  return { extractor, numeric };
}

/**
 * Returns the index of the expected value among the matches in each response. Returns undefined if
 * the index is not the same in all responses. A row needs no index: its text identifies it.
 */
export function commonIndex(
  extractor: NamelessExtractor,
  samples: readonly Sample[],
): number | undefined {
  if (extractor.index !== undefined || rowTemplate(extractor) !== undefined) return undefined;
  let common: number | undefined;
  for (const [response, expected] of samples) {
    const all = extractValue({ ...extractor, index: "all" }, response);
    const index = Array.isArray(all) ? all.findIndex((match) => leafText(match) === expected) : -1;
    if (index < 1 || index > MOST_MATCHES || index !== (common ??= index)) return undefined;
  }
  return common;
}

/** Returns a copy of an extractor that also applies `transform`, after its own transforms. */
export function withTransform(
  extractor: NamelessExtractor,
  ...transforms: NonNullable<NamelessExtractor["transform"]>
): NamelessExtractor {
  return { ...extractor, transform: [...extractor.transform ?? [], ...transforms] };
}
