import type { CallOutcome } from "./call_outcome.ts";
import { CONTENT_KINDS, type ContentDifference } from "../outcome/text_content.ts";

/** A content difference, and the number of the call's responses in which it occurs. */
export interface CountedDifference extends Omit<ContentDifference, "path"> {
  readonly responses: number;
}

/**
 * Differences between the content of the live responses to a call and the recorded content. They do
 * not affect the verdict on the call.
 */
export interface CallContent {
  /**
   * Number of responses in the last round that matched the recording. Differences in content do not
   * count.
   */
  readonly responses: number;
  /** At most 8 differences, most important first. */
  readonly differences: readonly CountedDifference[];
  /** Lower bound on the number of differences omitted from `differences`. */
  readonly more: number;
}

/** Maximum number of differences per call. */
const MOST = 8;

/** Summarizes the content of the responses to one call. Returns undefined if nothing differs. */
export function summarizeContent(outcomes: readonly CallOutcome[]): CallContent | undefined {
  const compared = outcomes.flatMap(({ content }) => content ?? []);
  const byPlace = Map.groupBy(
    compared.flatMap(({ differences }) => differences),
    // Several elements of a page have the same place, but differ in their recorded text.
    ({ kind, place, recorded }) => JSON.stringify([kind, place, recorded]),
  );
  if (byPlace.size === 0) return undefined;
  const found = [...byPlace.values()].map(([{ path: _, ...first }, ...others]) => ({
    ...first,
    responses: Math.min(compared.length, 1 + others.length),
  })).sort((a, b) => CONTENT_KINDS.indexOf(a.kind) - CONTENT_KINDS.indexOf(b.kind));
  // One response may list a place that another response only counts.
  const counts = compared.map(({ differences, more }) => differences.length + more);
  const differences = found.slice(0, MOST);
  return {
    responses: compared.length,
    differences,
    more: Math.max(found.length, ...counts) - differences.length,
  };
}
