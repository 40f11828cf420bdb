import type { CheckStats, Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import { describeValue } from "../summary_words.ts";
import { fit, type Style, type TextCell, textTable } from "./layout.ts";
import { count, percent } from "../../base/format.ts";

/** Formats the thresholds as a table with their results, expressions and actual values. */
export function thresholdLines({ thresholds }: Summary, style: Style): string[] {
  const rows = thresholds.map((verdict): TextCell[] => [
    resultMark(verdict, style),
    fit(verdict.metric, style.width),
    fit(verdict.expression, style.width / 4),
    describeValue(verdict),
  ]);
  return textTable(["left", "cut", "left", "left"], rows, style.width);
}

/** Returns the mark for the result of a threshold, and the function that colors the mark. */
export function resultMark(
  { passed }: ThresholdVerdict,
  style: Style,
): [mark: string, paint: (text: string) => string] {
  if (passed === null) return ["?", style.faint];
  return passed ? ["✓", style.good] : ["✗", style.bad];
}

/** Formats the checks as a table with their pass rates and their numbers of passes and failures. */
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

/**
 * Returns the name of a check, prefixed with its groups and, if `several` is true, with its
 * scenario.
 */
function label({ scenario, group, name }: CheckStats, several: boolean): string {
  const path = [several ? scenario : "", ...group.split("::"), name];
  return path.filter(Boolean).join(" › ");
}
