import type { CheckStats } from "../../engine/summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import { describeValue } from "../summary_words.ts";
import { fit, fitMiddle, type Style, type TextCell, textTable } from "./layout.ts";
import { count, percent, plural } from "../../base/format.ts";

/** Formats the thresholds as a table with their results, expressions and actual values. */
export function thresholdLines({ thresholds }: Summary, style: Style): string[] {
  const rows = thresholds.map((verdict): TextCell[] => [
    resultMark(verdict, style),
    fitMiddle(verdict.metric, style.width),
    fit(verdict.expression, style.width / 4),
    describeValue(verdict),
  ]);
  return textTable(["left", "name", "left", "left"], rows, style.width);
}

/** Returns the mark for the result of a threshold, and the function that colors the mark. */
export function resultMark(
  { passed }: ThresholdVerdict,
  style: Style,
): [mark: string, paint: (text: string) => string] {
  if (passed === null) return ["?", style.faint];
  return passed ? ["✓", style.good] : ["✗", style.bad];
}

/** Maximum number of checks in the table. */
const MAX_CHECKS = 20;

/**
 * Formats a table with the pass rate, passes and failures of each check. Failed checks come first.
 * The last line contains the number of checks that the table omits.
 */
export function checkLines({ checks }: Summary, style: Style): string[] {
  const several = new Set(checks.map(({ scenario }) => scenario)).size > 1;
  const ranked = [
    ...checks.filter(({ fails }) => fails > 0),
    ...checks.filter(({ passes, fails }) => passes + fails === 0),
    ...checks.filter(({ passes, fails }) => passes > 0 && fails === 0),
  ];
  const shown = ranked.slice(0, MAX_CHECKS);
  const rows = shown.map((check): TextCell[] => {
    const { passes, fails } = check;
    const name = fitMiddle(label(check, several), style.width);
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
  const table = textTable(["left", "name", "right", "right", "right"], rows, style.width);
  const rest = ranked.slice(MAX_CHECKS);
  if (rest.length === 0) return table;
  const failed = rest.filter(({ fails }) => fails > 0).length;
  const idle = rest.filter(({ passes, fails }) => passes + fails === 0).length;
  const results = [
    failed > 0 ? `${count(failed)} failed` : "",
    idle > 0 ? `${count(idle)} not evaluated` : "",
    rest.length > failed + idle ? `${count(rest.length - failed - idle)} passed` : "",
  ];
  const more = `  and ${plural(rest.length, "more check")}: ${results.filter(Boolean).join(", ")}`;
  return [...table, style.faint(more)];
}

/**
 * Returns the name of a check, prefixed with its groups and, if `several` is true, with its
 * scenario.
 */
function label({ scenario, group, name }: CheckStats, several: boolean): string {
  const path = [several ? scenario : "", ...group.split("::"), name];
  return path.filter(Boolean).join(" › ");
}
