import { loadBacktrackingSearch, mayRepeatGroup } from "../base/regex_backtracking.ts";
import type { SyntaxChecks } from "./rules/check_context.ts";

/**
 * Loads the syntax checks that a plan with this text might need, and the libraries that they use.
 */
export async function loadSyntaxChecks(text: string): Promise<SyntaxChecks> {
  return {
    ...(/jsonpath/.test(text) && await import("./jsonpath_syntax.ts")),
    // Ignores file names such as `/style.css`, which most plans contain.
    ...(/(?<![\w./-])(?:css|xpath)\b/.test(text) && await import("./selectors.ts")),
    ...(mayRepeatGroup(text) && { backtrackingGroup: await loadBacktrackingSearch() }),
  };
}
