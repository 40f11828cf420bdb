import type { CheckStats } from "../../engine/summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import { describeValue, groupPath } from "../summary_words.ts";
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

/** Row of the table of checks: the name of a check with its path, and its results. */
interface CheckRow {
  readonly label: string;
  readonly passes: number;
  readonly fails: number;
}

/**
 * Formats a table with the pass rate, passes and failures of each check. Failed checks come first.
 * A failed check has a row for each request in which it failed, and one for all other requests. The
 * last line contains the number of rows that the table omits.
 */
export function checkLines({ checks }: Summary, style: Style): string[] {
  const several = new Set(checks.map(({ scenario }) => scenario)).size > 1;
  const all = checks.flatMap((check) => checkRows(check, several));
  const ranked = [
    ...all.filter(({ fails }) => fails > 0),
    ...all.filter(({ passes, fails }) => passes + fails === 0),
    ...all.filter(({ passes, fails }) => passes > 0 && fails === 0),
  ];
  const shown = ranked.slice(0, MAX_CHECKS);
  const rows = shown.map((check): TextCell[] => {
    const { passes, fails } = check;
    const name = fitMiddle(check.label, style.width);
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
 * Returns a row for each request in which a check failed, and one row for all other requests. The
 * labels contain the groups of the check and, if `several` is true, its scenario.
 */
function checkRows({ scenario, group, name, ...check }: CheckStats, several: boolean): CheckRow[] {
  const path = groupPath(several ? scenario : "", group);
  const label = (...names: readonly string[]) => [path, ...names].filter(Boolean).join(" › ");
  const { passes, fails, requests = [] } = check;
  const failed = requests.filter(({ fails }) => fails > 0);
  if (failed.length === 0) return [{ label: label(name), passes, fails }];
  const rows = failed.map((request) => ({ ...request, label: label(request.name, name) }));
  const others = requests.length - failed.length;
  if (others === 0) return rows;
  const passed = passes - failed.reduce((sum, { passes }) => sum + passes, 0);
  const rest = `${name} (${plural(others, "other request")})`;
  return [...rows, { label: label(rest), passes: passed, fails: 0 }];
}
