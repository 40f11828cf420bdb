import { loadBacktrackingSearch, mayRepeatGroup } from "../base/regex_backtracking.ts";
import type { SyntaxChecks } from "./rules/check_context.ts";

/**
 * Imports the syntax checks that a plan with this text can need, and the libraries that they use.
 */
export async function loadSyntaxChecks(text: string): Promise<SyntaxChecks> {
  return {
    ...(/jsonpath/.test(text) && await import("./jsonpath_syntax.ts")),
    // Not `/style.css`, which is in the paths of most plans.
    ...(/(?<![\w./-])(?:css|xpath)\b/.test(text) && await import("./selectors.ts")),
    ...(mayRepeatGroup(text) && { backtrackingGroup: await loadBacktrackingSearch() }),
  };
}
