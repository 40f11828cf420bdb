import { safeSnippet } from "../../base/safe_text.ts";
import type { CheckFigures, Summary } from "../../engine/summary.ts";
import type { Style } from "./style.ts";
import { type Cell, table } from "./table.ts";
import { count, percent } from "./units.ts";

/** What the columns beside the name take. */
const FIGURES = 44;

/** Each check: the share that passed, and how many did not. */
export function checkLines({ checks }: Summary, style: Style): string[] {
  const rows = checks.map((check): Cell[] => {
    const { passes, fails } = check;
    const name = safeSnippet(label(check, checks), style.width - FIGURES);
    if (passes + fails === 0) return [["–", style.faint], name, "never made"];
    const passed = fails === 0;
    return [
      passed ? ["✓", style.good] : ["✗", style.bad],
      name,
      percent(passes / (passes + fails)),
      `✓ ${count(passes)}`,
      passed ? "" : [`✗ ${count(fails)}`, style.bad],
    ];
  });
  return table(["left", "left", "right", "right", "right"], rows);
}

/** The check's name, with its group, and its scenario where the name alone does not tell. */
function label({ scenario, group, name }: CheckFigures, all: readonly CheckFigures[]): string {
  const scenarios = new Set(all.map((check) => check.scenario)).size;
  const path = [...(scenarios > 1 ? [scenario] : []), ...group.split("::").filter(Boolean), name];
  return path.join(" › ");
}
