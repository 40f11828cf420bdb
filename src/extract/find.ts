import type { ResponseView } from "./response_view.ts";

/** Yields every match in a response, in order. Throws an Error if the body cannot be decoded. */
export type Find = (response: ResponseView) => Iterable<unknown>;

/**
 * Maximum length of the text that regular expressions and boundaries search, in UTF-16 units. It limits
 * the cost of an expression on a huge response, but not that of exponential backtracking.
 */
export const SEARCHED = 1 << 20;

/** Returns the part of the body that is searched. */
export function searched({ text }: ResponseView): string {
  return text.length > SEARCHED ? text.slice(0, SEARCHED) : text;
}
