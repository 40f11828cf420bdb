import { type Find, searched } from "./find.ts";

/** Finds every match of a capture group. Skips matches in which the group does not participate. */
export function findRegex(expression: string, group: number): Find {
  const pattern = new RegExp(expression, "g");
  return function* (response) {
    for (const match of searched(response).matchAll(pattern)) {
      if (match[group] !== undefined) yield match[group];
    }
  };
}
