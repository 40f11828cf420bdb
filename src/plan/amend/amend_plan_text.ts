import { parseYaml } from "../../base/yaml.ts";
import { withDoubles } from "../doubles.ts";
import { type Plan, plan as planSchema } from "../schema/plan.ts";
import { isSameValue } from "../compare/compared_item.ts";
import { parseTree } from "../source/parse_tree.ts";
import { TreeAmendment } from "./tree_amendment.ts";

/**
 * Maximum length of the text of a plan that can be amended, in UTF-16 code units. A syntax tree
 * needs about 100 times as much memory as its text.
 */
const MAX_TEXT = 2_000_000;

/**
 * Edits the text of a plan so that it describes `plan`. Keeps the comments, the order and the
 * formatting of all parts that do not change. Returns undefined if that is not possible, for
 * example because an anchor and its alias share a value that changes in only one of the two places,
 * or because the text is longer than 2 million UTF-16 code units. Throws an `Error` if the text is
 * not valid YAML.
 */
export function amendPlanText(text: string, plan: Plan): string | undefined {
  if (text.length > MAX_TEXT) return undefined;
  const amendment = new TreeAmendment(text);
  const before = withDoubles(parsePlan(text));
  const { contents } = parseTree(text, false);
  if (!amendment.amend(contents, before, plan, planSchema)) return undefined;
  const amended = amendment.edits.apply();
  return describes(amended, plan) ? amended : undefined;
}

function parsePlan(text: string): unknown {
  return parseYaml(text, { keepPlain: true });
}

function describes(text: string, plan: Plan): boolean {
  try {
    return isSameValue(withDoubles(parsePlan(text)), plan);
  } catch {
    return false;
  }
}
