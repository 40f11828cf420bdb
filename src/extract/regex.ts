import { type Find, searched } from "./find.ts";

/**
 * Finds the text of a capture group in every match. Skips matches in which the group did not take
 * part.
 */
export function findRegex(expression: string, group: number): Find {
  const pattern = new RegExp(expression, "g");
  return function* (response) {
    for (const match of searched(response).matchAll(pattern)) {
      if (match[group] !== undefined) yield match[group];
    }
  };
}
