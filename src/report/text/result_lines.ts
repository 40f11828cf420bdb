import type { CheckStats, Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import { outcome } from "../summary_words.ts";
import { fit, type Style, type TextCell, textTable } from "./layout.ts";
import { count, percent } from "../../base/format.ts";

/** Lists each threshold with its result, its expression and its actual value. */
export function thresholdLines({ thresholds }: Summary, style: Style): string[] {
  const rows = thresholds.map((verdict): TextCell[] => [
    resultMark(verdict, style),
    fit(verdict.metric, style.width),
    fit(verdict.expression, style.width / 4),
    outcome(verdict),
  ]);
  return textTable(["left", "cut", "left", "left"], rows, style.width);
}

/** Returns the mark of a threshold's result and its colour. */
export function resultMark(
  { passed }: ThresholdVerdict,
  style: Style,
): [mark: string, paint: (text: string) => string] {
  if (passed === null) return ["?", style.faint];
  return passed ? ["✓", style.good] : ["✗", style.bad];
}

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
