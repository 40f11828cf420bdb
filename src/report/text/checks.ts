import type { CheckStats, Summary } from "../../engine/summary/summary.ts";
import { fit } from "./fit.ts";
import type { Style } from "./style.ts";
import { type TextCell, textTable } from "./text_table.ts";
import { count, percent } from "./units.ts";

/** Lists each check with its pass rate and its numbers of passes and failures. */
export function checkLines({ checks }: Summary, style: Style): string[] {
  const several = new Set(checks.map(({ scenario }) => scenario)).size > 1;
  const rows = checks.map((check): TextCell[] => {
    const { passes, fails } = check;
    const name = fit(label(check, several), style.width);
    if (passes + fails === 0) return [["–", style.faint], name, "not evaluated"];
    const passed = fails === 0;
    return [
      passed ? ["✓", style.good] : ["✗", style.bad],
      name,
      percent(passes / (passes + fails)),
      `✓ ${count(passes)}`,
      passed ? "" : [`✗ ${count(fails)}`, style.bad],
    ];
  });
  return textTable(["left", "cut", "right", "right", "right"], rows, style.width);
}

/** Returns the check's name after its groups, and after its scenario if there are several. */
function label({ scenario, group, name }: CheckStats, several: boolean): string {
  const path = [several ? scenario : "", ...group.split("::"), name];
  return path.filter(Boolean).join(" › ");
}
