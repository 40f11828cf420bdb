import type { CheckStats } from "../../engine/summary/flow_stats.ts";
import type { Summary, ThresholdVerdict } from "../../engine/summary/summary.ts";
import { describeValue, groupPath } from "../summary_words.ts";
import { type Block, type Cell, shareCell, table, type Tone } from "../blocks.ts";
import { fit, type Style } from "./print_blocks.ts";
import { count, plural } from "../../base/format.ts";

/** Lists the thresholds with their results, expressions and actual values. */
export function thresholdBlocks({ thresholds }: Summary, { width }: Style): Block[] {
  return [table(
    "Thresholds",
    [
      { title: "", cell: resultMark },
      { title: "", long: "line", cell: ({ metric }) => metric },
      { title: "", cell: ({ expression }) => fit(expression, width / 4) },
      { title: "", cell: describeValue },
    ],
    thresholds,
  )];
}

/** Returns the colored mark for the result of a threshold. */
export function resultMark(
  { passed }: Pick<ThresholdVerdict, "passed">,
): Cell & { readonly tone: Tone } {
  if (passed === null) return { text: "?", tone: "faint" };
  return passed ? { text: "✓", tone: "good" } : { text: "✗", tone: "bad" };
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
 * Lists the pass rate, passes and failures of each check. Failed checks come first. A failed check
 * has a row for each request in which it failed, and one for all other requests.
 */
export function checkBlocks({ checks }: Summary): Block[] {
  const several = new Set(checks.map(({ scenario }) => scenario)).size > 1;
  const all = checks.flatMap((check) => checkRows(check, several));
  const ranked = [
    ...all.filter(({ fails }) => fails > 0),
    ...all.filter(isIdle),
    ...all.filter(({ passes, fails }) => passes > 0 && fails === 0),
  ];
  const rest = ranked.slice(MAX_CHECKS);
  return [table(
    "Checks",
    [
      { title: "", cell: checkMark },
      { title: "", long: "line", cell: ({ label }) => label },
      {
        title: "",
        cell: (check) =>
          isIdle(check) ? "not evaluated" : shareCell(check.passes / (check.passes + check.fails)),
      },
      { title: "", cell: (check) => isIdle(check) ? "" : marked("✓", check.passes) },
      { title: "", cell: ({ fails }) => fails > 0 ? marked("✗", fails, "bad") : "" },
    ],
    ranked,
    {
      first: MAX_CHECKS,
      rest: `and ${plural(rest.length, "more check")}: ${describeResults(rest)}`,
    },
  )];
}

const isIdle = ({ passes, fails }: CheckRow) => passes + fails === 0;

function checkMark(check: CheckRow): Cell {
  return isIdle(check) ? { text: "–", tone: "faint" } : resultMark({ passed: check.fails === 0 });
}

function marked(mark: string, n: number, tone?: Tone): Cell {
  return { text: `${mark} ${count(n)}`, value: n, tone };
}

/** Counts checks by result: `2 failed, 3 passed`. */
function describeResults(checks: readonly CheckRow[]): string {
  const failed = checks.filter(({ fails }) => fails > 0).length;
  const idle = checks.filter(isIdle).length;
  return [
    failed > 0 ? `${count(failed)} failed` : "",
    idle > 0 ? `${count(idle)} not evaluated` : "",
    checks.length > failed + idle ? `${count(checks.length - failed - idle)} passed` : "",
  ].filter(Boolean).join(", ");
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
