import { type Find, searched } from "./find.ts";

/**
 * Finds each text between two delimiters, as short as possible. If `right` is empty, the text
 * extends to the end of the body.
 */
export function findBoundary(left: string, right: string): Find {
  return function* (response) {
    const text = searched(response);
    for (let at = text.indexOf(left); at >= 0;) {
      const from = at + left.length;
      const to = right === "" ? text.length : text.indexOf(right, from);
      if (to < 0) return;
      yield text.slice(from, to);
      at = text.indexOf(left, Math.max(to + right.length, at + 1));
    }
  };
}
