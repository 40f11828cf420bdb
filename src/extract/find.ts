import type { ResponseView } from "./response_view.ts";

/** Yields every match in a response, in order. Throws an Error if the body cannot be decoded. */
export type Find = (response: ResponseView) => Iterable<unknown>;

/**
 * How much of a body regular expressions and boundaries search, in UTF-16 units. It bounds what a
 * plan's expression can cost on a huge answer; one that backtracks without end it cannot save.
 */
export const SEARCHED = 1 << 20;

/** The text that is searched. */
export function searched({ text }: ResponseView): string {
  return text.length > SEARCHED ? text.slice(0, SEARCHED) : text;
}
