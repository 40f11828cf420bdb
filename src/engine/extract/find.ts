import type { Received } from "../flow/received.ts";

/** Every match in an answer, in order, one at a time as they are asked for. Throws ContentError. */
export type Find = (received: Received) => Iterable<unknown>;

/**
 * How much of a body regular expressions and boundaries search, in UTF-16 units. It bounds what a
 * plan's expression can cost on a huge answer; one that backtracks without end it cannot save.
 */
export const SEARCHED = 1 << 20;

/** The text that is searched. */
export function searched({ text }: Received): string {
  return text.length > SEARCHED ? text.slice(0, SEARCHED) : text;
}
