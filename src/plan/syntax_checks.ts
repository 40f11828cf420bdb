import { loadBacktrackingSearch, mayRepeatGroup } from "../base/regex_backtracking.ts";
import type { SyntaxChecks } from "./rules/check_context.ts";

/**
 * Matches YAML escape sequences. In a double-quoted string, they can hide a name such as `css` from
 * a text search.
 */
const ESCAPED = /\\(?:[xuU]|\r?\n)/;

/**
 * Loads the syntax checks that a plan with this text might need, and the libraries that they use.
 */
export async function loadSyntaxChecks(text: string): Promise<SyntaxChecks> {
  const isEscaped = ESCAPED.test(text);
  return {
    ...((isEscaped || /jsonpath/.test(text)) && await import("./jsonpath_syntax.ts")),
    // Ignore paths such as `/style.css`, because the libraries take 45 ms to load.
    ...((isEscaped || /(?<![\w./-])(?:css|xpath)\b/.test(text)) && await import("./selectors.ts")),
    ...(mayRepeatGroup(text) && { backtrackingGroup: await loadBacktrackingSearch() }),
  };
}
