import { loadBacktrackingSearch, mayRepeatGroup } from "../base/regex_backtracking.ts";
import type { SyntaxChecks } from "./rules/check_context.ts";

/**
 * Matches YAML escape sequences. In a double-quoted string, they can hide a name such as `css` from
 * a text search.
 */
const ESCAPED = /\\(?:[xuU]|\r?\n)/;

/**
 * Loads the syntax checks that a plan might need, and the libraries that they use. `pieces` is the
 * text of the plan, in one or more pieces that each contain whole keys and scalars.
 */
export async function loadSyntaxChecks(...pieces: readonly string[]): Promise<SyntaxChecks> {
  const hasMatch = (pattern: RegExp) => pieces.some((piece) => pattern.test(piece));
  const isEscaped = hasMatch(ESCAPED);
  return {
    ...((isEscaped || hasMatch(/jsonpath/)) && await import("./jsonpath_syntax.ts")),
    // Ignore paths such as `/style.css`, because the libraries take 45 ms to load.
    ...((isEscaped || hasMatch(/(?<![\w./-])(?:css|xpath)\b/)) && await import("./selectors.ts")),
    ...(pieces.some(mayRepeatGroup) && { backtrackingGroup: await loadBacktrackingSearch() }),
  };
}
