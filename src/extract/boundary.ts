import { type Find, searched } from "./find.ts";

/** What stands between two texts, as short as can be. */
export function findBoundary(left: string, right: string): Find {
  return function* (received) {
    const text = searched(received);
    for (let at = text.indexOf(left); at >= 0;) {
      const from = at + left.length;
      const to = right === "" ? text.length : text.indexOf(right, from);
      if (to < 0) return;
      yield text.slice(from, to);
      at = text.indexOf(left, Math.max(to + right.length, at + 1));
    }
  };
}
