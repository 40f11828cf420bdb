import { loadBacktrackingSearch, mayRepeatGroup } from "../base/regex_backtracking.ts";
import { jsonPathError } from "./jsonpath_syntax.ts";
import type { SyntaxChecks } from "./rules/check_context.ts";
import { cssError, xpathError } from "./selectors.ts";

/**
 * Returns the syntax checks that a plan might need. `pieces` is the text of the plan, in one or
 * more pieces that each contain whole keys and scalars.
 */
export function loadSyntaxChecks(...pieces: readonly string[]): SyntaxChecks {
  return {
    jsonPathError,
    cssError,
    xpathError,
    ...(pieces.some(mayRepeatGroup) && { backtrackingGroup: loadBacktrackingSearch() }),
  };
}
