import { type Find, searched } from "./find.ts";

/** What a capture group matches. A group that took no part is no match. */
export function findRegex(expression: string, group: number): Find {
  const pattern = new RegExp(expression, "g");
  return function* (received) {
    for (const match of searched(received).matchAll(pattern)) {
      if (match[group] !== undefined) yield match[group];
    }
  };
}
