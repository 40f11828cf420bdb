import type { CheckFigures, Summary } from "../../engine/summary.ts";
import { fit } from "./fit.ts";
import type { Style } from "./style.ts";
import { type Cell, table } from "./table.ts";
import { count, percent } from "./units.ts";

/** What the columns beside the name take. */
const FIGURES = 44;

/** Each check: the share that passed, and how many did not. */
export function checkLines({ checks }: Summary, style: Style): string[] {
  const several = new Set(checks.map(({ scenario }) => scenario)).size > 1;
  const rows = checks.map((check): Cell[] => {
    const { passes, fails } = check;
    const name = fit(label(check, several), style.width - FIGURES);
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

/** The check's name behind its groups, and behind its scenario where there are several. */
function label({ scenario, group, name }: CheckFigures, several: boolean): string {
  const path = [several ? scenario : "", ...group.split("::"), name];
  return path.filter(Boolean).join(" › ");
}
